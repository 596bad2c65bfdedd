/* SPDX-License-Identifier: MIT */
/* The script within a flame graph: zoom by click or Enter, search, the arrow keys. Names are text, never markup. */
(function () {
'use strict';
var svg = document.documentElement, get = function (id) { return document.getElementById(id); };
var area = {left: +svg.dataset.left, width: +svg.dataset.width};
var CHAR = 6.62, PAD = 3;
var frames = [].map.call(document.querySelectorAll('g.f'), function (g, i) {
	var title = g.querySelector('title').textContent;
	return {g: g, rect: g.querySelector('rect'), text: g.querySelector('text'), begin: +g.dataset.b,
		value: +g.dataset.v, depth: +g.dataset.d, title: title, name: title.slice(0, title.lastIndexOf(' (')),
		shown: true, index: i};
});
var root = frames[0], zoomed = root, focused = null, pattern = '', typing = false;

function inside(frame, other) {
	return frame.depth >= other.depth && frame.begin >= other.begin &&
		frame.begin + frame.value <= other.begin + other.value;
}

function label(frame, width) {
	var room = Math.floor((width - 2 * PAD) / CHAR), chars = Array.from(frame.name);
	if (room < 3)
		return '';
	return chars.length <= room ? frame.name : chars.slice(0, room - 2).join('') + '..';
}

function place(frame, x, width) {
	frame.rect.setAttribute('x', x);
	frame.rect.setAttribute('width', Math.max(width - 0.5, 0.1));
	frame.text.setAttribute('x', x + PAD);
	frame.text.textContent = label(frame, width);
}

function zoom(to) {
	zoomed = to;
	frames.forEach(function (frame) {
		var above = inside(to, frame) && frame !== to;
		frame.shown = above || inside(frame, to);
		frame.g.style.display = frame.shown ? '' : 'none';
		frame.g.classList.toggle('outer', above);
		if (above)
			place(frame, area.left, area.width);
		else if (frame.shown)
			place(frame, area.left + (frame.begin - to.begin) / to.value * area.width,
				frame.value / to.value * area.width);
	});
	get('reset').style.display = to === root ? 'none' : '';
	if (focused && !focused.shown)
		focus(null);
	count();
}

/* Search. */

function matcher(text) {
	try {
		return new RegExp(text, 'i');
	} catch (e) {
		return new RegExp(text.replace(/[^\w\s]/g, '\\$&'), 'i');
	}
}

/* The share of what is shown: a frame below another one that matches adds nothing. */
function count() {
	if (!root)
		return;
	var end = -1, sum = 0, n = 0;
	frames.forEach(function (frame) {
		if (!frame.matches || !inside(frame, zoomed))
			return;
		n++;
		if (frame.begin >= end) {
			sum += frame.value;
			end = frame.begin + frame.value;
		}
	});
	if (frames.some(function (frame) { return frame.matches && frame.shown && !inside(frame, zoomed); }))
		sum = zoomed.value;
	get('matched').textContent = pattern === '' ? '' :
		'matched: ' + (100 * sum / zoomed.value).toFixed(2) + ' % in ' + n + ' frames';
}

function search(text) {
	var expression = text === '' ? null : matcher(text);
	pattern = text;
	frames.forEach(function (frame) {
		frame.matches = expression !== null && expression.test(frame.name);
		frame.g.classList.toggle('match', frame.matches);
	});
	count();
	prompt();
}

function prompt() {
	get('search').textContent = typing ? 'search: ' + pattern + '\u2588' :
		pattern === '' ? 'search (/)' : 'search: ' + pattern + ' (Esc: clear)';
}

/* Focus. */

function focus(frame) {
	if (focused)
		focused.g.classList.remove('focus');
	focused = frame;
	if (frame) {
		frame.g.classList.add('focus');
		if (frame.g.scrollIntoView)
			frame.g.scrollIntoView({block: 'nearest', inline: 'nearest'});
	}
	details(frame);
}

function details(frame) {
	var text = frame ? frame.title : '';
	if (frame && zoomed !== root && inside(frame, zoomed))
		text += ', ' + (100 * frame.value / zoomed.value).toFixed(2) + ' % of what is shown';
	get('details').textContent = text;
}

function choose(test, better) {
	return frames.reduce(function (best, frame) {
		return frame.shown && test(frame) && (!best || better(frame, best)) ? frame : best;
	}, null);
}

function wider(a, b) { return a.value > b.value; }

function parent_of(frame) {
	return choose(function (other) { return other.depth === frame.depth - 1 && inside(frame, other); }, wider);
}

function move(key) {
	var from = focused || zoomed, to;
	if (!focused)
		to = zoomed;
	else if (key === 'ArrowUp')
		to = choose(function (f) { return f.depth === from.depth + 1 && inside(f, from); }, wider);
	else if (key === 'ArrowDown')
		to = parent_of(from);
	else if (key === 'ArrowLeft')
		to = choose(function (f) { return f.depth === from.depth && f.begin < from.begin; },
			function (a, b) { return a.begin > b.begin; });
	else
		to = choose(function (f) { return f.depth === from.depth && f.begin > from.begin; },
			function (a, b) { return a.begin < b.begin; });
	if (to)
		focus(to);
}

function next_match(step) {
	var n = frames.length, at = focused ? focused.index : step > 0 ? -1 : n;
	for (var i = 1; i <= n; i++) {
		var frame = frames[(at + step * i % n + n) % n];
		if (frame && frame.matches && frame.shown)
			return focus(frame);
	}
}

/* Keys. */

function type(event) {
	if (event.key === 'Enter' || event.key === 'Escape') {
		typing = false;
		search(event.key === 'Escape' ? '' : pattern);
	} else if (event.key === 'Backspace') {
		search(Array.from(pattern).slice(0, -1).join(''));
	} else if (Array.from(event.key).length === 1 && !event.ctrlKey && !event.metaKey) {
		search(pattern + event.key);
	} else {
		return;
	}
	event.preventDefault();
}

function begin_search() {
	typing = true;
	search('');
}

function escape_one() {
	if (pattern !== '')
		search('');
	else if (zoomed !== root)
		zoom(root);
	else
		focus(null);
}

function press(event) {
	if (typing)
		return type(event);
	if (!root)
		return;
	var key = event.key, ctrl = event.ctrlKey || event.metaKey;
	if (key === '/' || (ctrl && key === 'f'))
		begin_search();
	else if (ctrl || event.altKey)
		return;
	else if (key.indexOf('Arrow') === 0)
		move(key);
	else if (key === 'Enter' && focused)
		zoom(focused);
	else if (key === 'Backspace' && zoomed !== root)
		zoom(parent_of(zoomed) || root);
	else if (key === 'Escape')
		escape_one();
	else if (key === 'n' || key === 'N')
		next_match(key === 'n' ? 1 : -1);
	else
		return;
	event.preventDefault();
}

frames.forEach(function (frame) {
	frame.g.addEventListener('click', function () { focus(null); zoom(frame); details(frame); });
	frame.g.addEventListener('mouseenter', function () { details(frame); });
	frame.g.addEventListener('mouseleave', function () { details(focused); });
});
get('reset').addEventListener('click', function () { zoom(root); });
get('search').addEventListener('click', begin_search);
window.addEventListener('keydown', press);
get('controls').style.display = '';
if (root)
	zoom(root);
prompt();
})();
