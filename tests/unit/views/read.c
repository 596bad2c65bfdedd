/* SPDX-License-Identifier: MIT */
/* Files of views: what is read, and what is said of those that are wrong. */
#include <errno.h>
#include <string.h>

#include "unit.h"
#include "viewed.h"
#include "views/folder.h"

#define COUNTED "values:\n- {name: n, aggregate: count}\n"

#define HISTOGRAM "kind: histogram\nvalues: [{name: n, aggregate: histogram, field: evt.latency, "

static void reads_all_keys(void **state)
{
	struct views_view *view = viewed_read(
		"name: a\ntitle: T\nquestion: Q\ndescription: D\nkind: table\nfilter: fd.num=3\n"
		"keys:\n- proc.name\n- {field: proc.pid, title: PID}\n"
		"values:\n- {name: n, aggregate: count}\n"
		"- {name: b, title: B, aggregate: sum, field: evt.buflen, unit: bytes}\n"
		"sort: b,proc.pid\ncolumns: proc.pid,b,n,proc.name\nlimit: 7\ngroups: 9\n"
		"drill: [x, y]\n");

	assert_string_equal(view->name, "a");
	assert_string_equal(view->question, "Q");
	assert_string_equal(view->filter, "fd.num=3");
	assert_int_equal(view->keys_count, 2);
	assert_string_equal(view->keys[0].title, "PROC.NAME");
	assert_string_equal(view->keys[1].title, "PID");
	assert_int_equal(view->values[1].unit, VIEWS_BYTES);
	assert_int_equal(view->order_count, 2);
	assert_true(view->order[0].descending && view->order[0].index == 1);
	assert_false(view->order[1].descending || view->order[1].is_value);
	assert_string_equal(views_column_title(view, &view->columns[0]), "PID");
	assert_int_equal(view->limit, 7);
	assert_int_equal(view->groups_max, 9);
	assert_string_equal(view->drill[1], "y");
	assert_null(view->drill[2]);
	assert_true(views_view_needs(view) & NEEDS_THREADS);
	views_view_destroy(view);
}

static void says_where_it_is_wrong(void **state)
{
	WRONG("name: v\n" COUNTED, "1:1 needs a key 'title'");
	WRONG(VIEW("value: 1\n" COUNTED), "3:1 a view has no key 'value'; did you mean 'values'?");
	WRONG(VIEW("keys: [proc.nam]\n" COUNTED), "3:8 unknown field 'proc.nam'");
	WRONG(VIEW("filter: proc.name=\n" COUNTED), "3:19 expected a value");
	WRONG(VIEW("filter: evt.type=open and proc.nam=x\n" COUNTED), "3:27 'proc.nam'");
	WRONG(VIEW("kind: tabel\n" COUNTED), "3:7 unknown kind 'tabel'; did you mean 'table'?");
	WRONG(VIEW("limit: 0\n" COUNTED), "3:8 a number from 1");
	WRONG(VIEW("limit: x\n" COUNTED), "3:8 expected a number");
	WRONG(VIEW("keys: x\n" COUNTED), "3:7 expected a sequence");
	WRONG(VIEW("values:\n- {name: n, aggregate: cout}\n"),
	      "4:24 unknown aggregate 'cout'; did you mean 'count'?");
	WRONG(VIEW("values:\n- {name: n, aggregate: sum}\n"), "4:3 needs a key 'field'");
	WRONG(VIEW("values:\n- {name: n, aggregate: sum, field: proc.name}\n"),
	      "4:3 is one of texts");
	WRONG(VIEW("values:\n- {name: n, aggregate: percentile, field: evt.latency}\n"),
	      "4:3 belong together");
	WRONG(VIEW("values:\n- {name: n, aggregate: percentile, percentile: 101, field: "
		   "evt.latency}\n"),
	      "4:48 at most 100");
	WRONG(VIEW("values:\n- {name: n, aggregate: count, max: 10, width: 1}\n"),
	      "4:3 are of the aggregate 'histogram'");
	WRONG(VIEW(HISTOGRAM "width: 10}]\n"), "4:10 need 'max' and 'width'");
	WRONG(VIEW(HISTOGRAM "max: 10, width: 3}]\n"), "4:10 a multiple of 'width'");
	WRONG(VIEW(HISTOGRAM "max: 10, width: 0}]\n"), "4:78 expected a whole number from 1");
	WRONG(VIEW(HISTOGRAM "max: 127, width: 1}]\n"), "4:10 at most 126 buckets");
	WRONG(VIEW(HISTOGRAM "min: 9, max: 9, width: 1}]\n"), "4:10 above 'min'");
	WRONG(VIEW("values:\n- {name: n, aggregate: count, if: 'evt.type='}\n"),
	      "4:45 expected a value");
	WRONG(VIEW("values:\n- {name: n, aggregate: count}\n- {name: n, aggregate: count}\n"),
	      "5:3 two values are named 'n'");
	WRONG(VIEW("values:\n- {aggregate: count}\n- {name: n, aggregate: count}\n"),
	      "4:3 a value needs a key 'name'");
	WRONG(VIEW("keys: [proc.name, evt.type, proc.name]\n" COUNTED),
	      "1:1 two columns are named 'proc.name'");
	WRONG(VIEW("keys: [proc.name]\nvalues: [{name: proc.name, aggregate: count}]\n"),
	      "1:1 two columns are named 'proc.name'");
	WRONG(VIEW("values: [{name: view.time, aggregate: count}]\n"),
	      "1:1 the name 'view.time' is that of a key of all views");
	WRONG(VIEW("keys: [fd.port]\n" COUNTED), "3:8 is for filters alone");
	WRONG(VIEW("keys: [fd.types]\n" COUNTED), "3:8 has several values");
	WRONG(VIEW(COUNTED "sort: m\n"), "5:7 has no key or value 'm'");
	WRONG(VIEW(COUNTED "columns: n,m\n"), "5:10 has no key or value 'm'");
	WRONG(VIEW(COUNTED "columns: n, n\n"), "5:10 'n' is named twice");
	WRONG(VIEW(COUNTED "sort: n,-n\n"), "5:7 'n' is named twice");
	WRONG(VIEW("keys: [proc.name]\n"), "1:1 needs a key 'values'");
	WRONG(VIEW("kind: list\n" COUNTED), "1:1 a list has keys and no values");
	WRONG(VIEW("kind: histogram\n" COUNTED), "1:1 a histogram has one value");
	WRONG(VIEW(COUNTED "---\n" COUNTED), "1:1 a file has one view");
	WRONG("- a\n", "1:1 a view is a mapping");
	WRONG("", "1:1 a file has one view");
}

/* Words of the user stand where the file says, in a filter never as a part of it. */
static void puts_arguments_in(void **state)
{
	static const char text[] =
		"name: v\ntitle: Files of ${who}\n"
		"args:\n- {name: who, example: cat}\n- {name: by, default: fd.num}\n"
		"filter: proc.name=${who}\nkeys: ['${by}']\n" COUNTED;
	const char *const args[] = {"a\" or evt.num>0"};
	const struct views_config given = {.args = args, .args_count = 1}, none = {0};
	const struct views_config many = {.args = (const char *const[]){"a", "evt.num", "c"},
					  .args_count = 3};
	struct yaml_report report = {0};
	struct views_view *view = viewed_read(text);
	struct yaml_file file;

	assert_string_equal(view->filter, "proc.name=cat");
	views_view_destroy(view);
	assert_int_equal(yaml_file_copy("v", text, strlen(text), &file, NULL), 0);
	assert_int_equal(views_view_read(&file, &given, &view, &report), 0);
	assert_string_equal(view->filter, "proc.name=\"a\\\" or evt.num>0\"");
	assert_string_equal(view->keys[0].name, "fd.num");
	views_view_destroy(view);
	assert_int_equal(views_view_read(&file, &none, &view, &report), -EINVAL);
	assert_non_null(strstr(report.messages[0].text, "who has to be given, as cat"));
	yaml_report_finish(&report);
	report = (struct yaml_report){0};
	assert_int_equal(views_view_read(&file, &many, &view, &report), -EINVAL);
	assert_non_null(strstr(report.messages[0].text, "takes 2 arguments, not 3"));
	yaml_report_finish(&report);
	yaml_file_finish(&file);
	WRONG(VIEW("filter: fd.num=${a}\n" COUNTED), "3:9 unknown argument 'a'");
	WRONG(VIEW("filter: fd.num=${a\n" COUNTED), "3:9 without '}'");
	WRONG(VIEW("args: [{name: a, example: x}]\nfilter: evt.type=a and "
		   "proc.name=\"${a}\"\n" COUNTED),
	      "4:9 within quotes");
	WRONG(VIEW("args: [{name: a}]\n" COUNTED), "3:8 needs a default, or an example");
	WRONG(VIEW("keys: [{field: proc.name, unit: ms}]\n" COUNTED), "3:8 is no number");
	WRONG(VIEW("keys: [{field: evt.rawres, unit: furlong}]\n" COUNTED), "3:34 unknown unit");
}

/* Some arguments are one of few words, each of which stands for a text of the file. */
static void puts_texts_of_words_in(void **state)
{
	static const char text[] = VIEW(
		"args:\n- {name: which, default: all, words: [in=evt.is_io_read=true, "
		"all=evt.num>0]}\n"
		"- {name: order, default: n, words: [n, m]}\nfilter: ${which}\nkeys: [proc.name]\n"
		"values: [{name: n, aggregate: count}, {name: m, aggregate: count}]\n"
		"sort: ${order}\n");
	const char *const args[] = {"in", "m"}, *const second[] = {NULL, "m"}, *const no[] = {"no"};
	const struct views_config given = {.args = args, .args_count = 2},
				  skipped = {.args = second, .args_count = 2},
				  wrong = {.args = no, .args_count = 1};
	struct yaml_report report = {0};
	struct views_view *view;
	struct yaml_file file;

	assert_int_equal(yaml_file_copy("v", text, strlen(text), &file, NULL), 0);
	assert_int_equal(views_view_read(&file, &given, &view, &report), 0);
	assert_string_equal(view->filter, "evt.is_io_read=true");
	assert_int_equal(view->order[0].index, 1);
	assert_string_equal(views_arg_text(&view->args[0], "all"), "evt.num>0");
	assert_string_equal(views_arg_text(&view->args[1], "m"), "m");
	assert_null(views_arg_text(&view->args[1], "x"));
	views_view_destroy(view);
	assert_int_equal(views_view_read(&file, &skipped, &view, &report), 0);
	assert_string_equal(view->filter, "evt.num>0");
	assert_int_equal(view->order[0].index, 1);
	views_view_destroy(view);
	assert_int_equal(views_view_read(&file, &wrong, &view, &report), -EINVAL);
	assert_non_null(strstr(report.messages[0].text, "which has no word 'no'"));
	yaml_report_finish(&report);
	yaml_file_finish(&file);
	WRONG(VIEW("args: [{name: a, default: x, words: [y, z]}]\n" COUNTED),
	      "3:8 has no word 'x'");
	WRONG(VIEW("args: [{name: a, default: y, words: [y, [z]]}]\n" COUNTED),
	      "3:41 expected WORD");
}

/* As -pc does. */
static void puts_keys_first(void **state)
{
	static const char text[] = VIEW("keys: [proc.name]\n" COUNTED "sort: proc.name\n"
					"columns: n,proc.name\n");
	const struct views_config config = {
		.keys = (const struct views_first_key[]){{"container.name", "container.name"},
							 {"proc.name", "proc.name"}},
		.keys_count = 2};
	struct yaml_report report = {0};
	struct views_view *view = NULL;
	struct yaml_file file;

	assert_int_equal(yaml_file_copy("v", text, strlen(text), &file, NULL), 0);
	assert_int_equal(views_view_read(&file, &config, &view, &report), 0);
	assert_int_equal(view->keys_count, 2);
	assert_string_equal(view->keys[0].name, "container.name");
	assert_int_equal(view->order[0].index, 1);
	assert_int_equal(view->columns_count, 3);
	assert_string_equal(views_column_name(view, &view->columns[0]), "container.name");
	assert_string_equal(views_column_name(view, &view->columns[2]), "proc.name");
	views_view_destroy(view);
	yaml_report_finish(&report);
	yaml_file_finish(&file);
}

/* All that the program has are right, are named as their files are, and lead to others. */
static void has_right_views(void **state)
{
	const struct views_folders none = {0};
	size_t n = 0;

	for (const struct views_builtin *builtin = views_builtins; builtin->name; builtin++, n++) {
		struct views_view *view = viewed_read(builtin->text);

		assert_string_equal(view->name, builtin->name);
		assert_true(*view->question);
		for (const char **name = view->drill; name && *name; name++) {
			struct yaml_file file;

			assert_int_equal(views_folder_open(&none, *name, &file, NULL), 0);
			yaml_file_finish(&file);
		}
		views_view_destroy(view);
	}
	assert_true(n > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(reads_all_keys),    cmocka_unit_test(says_where_it_is_wrong),
	cmocka_unit_test(puts_arguments_in), cmocka_unit_test(puts_texts_of_words_in),
	cmocka_unit_test(puts_keys_first),   cmocka_unit_test(has_right_views),
};

UNIT_GROUP(tests);
