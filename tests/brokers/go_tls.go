// SPDX-License-Identifier: MIT

// HTTP over TLS by Go's own library, for go_tls. "serve PORT CERTIFICATE KEY" prints a
// line for each request; "ask URL COUNT AT_ONCE VERSION" makes requests, each routine with a client of
// its own, and ends with 0 if all were answered as they should be; "stack ADDRESS COUNT" reads answers
// to memory on stacks, which move meanwhile; "within CERTIFICATE KEY COUNT" has TLS within TLS at both ends; "again URL
// COUNT" makes a request, and COUNT more of the same connection for each line that it reads; "crowd COUNT" has so many
// reads that nothing answers; "gone ADDRESS" makes requests of a connection that the server has closed, and prints of
// each whether it was sent; "cut CERTIFICATE KEY" has a server that goes while a request is sent, and prints how much was.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var page = bytes.Repeat([]byte("page"), 1000)

// Uses so much stack that it grows, and is copied, within calls of the library.
func deep(n int) int {
	var room [200]byte
	if n == 0 {
		return int(room[n])
	}
	room[n%200] = byte(n)
	return deep(n-1) + int(room[(n+1)%200])
}

func serve(port, certificate, key string) {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Printf("%s %s %d\n", r.Method, r.URL.Path, r.ProtoMajor)
		w.Write(page)
	})
	panic(http.ListenAndServeTLS("127.0.0.1:"+port, certificate, key, nil))
}

func ask(url string, count int, version string) {
	config := &tls.Config{InsecureSkipVerify: true}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: version == "2"}}
	askFor(client, url, count)
}

func askFor(client *http.Client, url string, count int) {
	for i := 0; i < count; i++ {
		deep(i * 10)
		answer, err := client.Post(url, "text/plain", bytes.NewReader(page[:i%4000]))
		if err != nil {
			panic(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !bytes.Equal(body, page) {
			panic("another page")
		}
	}
}

func again(url string, count int) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	askFor(client, url, 1)
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		askFor(client, url, count)
		fmt.Println("ready")
	}
}

// A connection to nowhere.
type silent struct{ net.Conn }

var waiting int64

func (silent) Write(bytes []byte) (int, error) {
	atomic.AddInt64(&waiting, 1)
	select {}
}

func crowd(count int) {
	for i := 0; i < count; i++ {
		go tls.Client(silent{}, &tls.Config{InsecureSkipVerify: true}).Read(make([]byte, 100))
	}
	for atomic.LoadInt64(&waiting) < int64(count) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
}

// Nothing takes its memory elsewhere, and it leaves so little of the stack that a call needs another one.
func readToStack(connection *tls.Conn) string {
	var room [7000]byte
	n, err := connection.Read(room[:])
	if err != nil {
		panic(err)
	}
	return string(room[:n])
}

func readAnswers(address string, count int) {
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		panic(err)
	}
	answers := make(chan string)
	for i := 0; i < count; i++ {
		connection.Write([]byte("GET /stack HTTP/1.1\r\nHost: here\r\n\r\n"))
		for size, head := 0, 0; head == 0 || size < head+len(page); {
			go func() { answers <- readToStack(connection) }()
			answer := <-answers
			if head == 0 {
				head = strings.Index(answer, "\r\n\r\n") + 4
			}
			size += len(answer)
		}
	}
}

func gone(address string) {
	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		panic(err)
	}
	connection.Write([]byte("GET /last HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"))
	io.ReadAll(connection)
	// The socket takes the first ones, until it is reset; then one is not sent.
	for i := 0; err == nil; i++ {
		target := fmt.Sprintf("/gone%d", i)
		_, err = connection.Write([]byte("GET " + target + " HTTP/1.1\r\nHost: here\r\n\r\n"))
		fmt.Println(target, err == nil)
		time.Sleep(100 * time.Millisecond)
	}
	connection.Close()
}

// A server that reads the begin of a request, and goes.
func readSome(listener net.Listener, config *tls.Config) {
	raw, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	tls.Server(raw, config).Read(make([]byte, 1000))
	time.Sleep(100 * time.Millisecond)
	raw.Close()
}

func cut(certificate, key string) {
	listener, config := listen(certificate, key)
	go readSome(listener, config)
	connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		panic(err)
	}
	head := fmt.Sprintf("POST /cut HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n", 64<<20)
	n, err := connection.Write(append([]byte(head), make([]byte, 64<<20)...))
	fmt.Println(n, err == nil)
	connection.Close()
}

func answerWithin(listener net.Listener, config *tls.Config) {
	raw, err := listener.Accept()
	if err != nil {
		panic(err)
	}
	inner := tls.Server(tls.Server(raw, config), config)
	for ask := make([]byte, 1000); ; {
		if n, err := inner.Read(ask); n == 0 || err != nil {
			return
		}
		inner.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"))
	}
}

func listen(certificate, key string) (net.Listener, *tls.Config) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener, &tls.Config{Certificates: []tls.Certificate{pair}}
}

func within(certificate, key string, count int) {
	listener, server := listen(certificate, key)
	go answerWithin(listener, server)
	raw, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	config := &tls.Config{InsecureSkipVerify: true}
	inner := tls.Client(tls.Client(raw, config), config)
	for i, answer := 0, make([]byte, 1000); i < count; i++ {
		inner.Write([]byte("GET /within HTTP/1.1\r\nHost: here\r\n\r\n"))
		if n, err := inner.Read(answer); n == 0 || err != nil {
			panic("no answer")
		}
	}
}

func main() {
	if os.Args[1] == "within" {
		count, _ := strconv.Atoi(os.Args[4])
		within(os.Args[2], os.Args[3], count)
		return
	}
	if os.Args[1] == "gone" {
		gone(os.Args[2])
		return
	}
	if os.Args[1] == "cut" {
		cut(os.Args[2], os.Args[3])
		return
	}
	if os.Args[1] == "crowd" {
		count, _ := strconv.Atoi(os.Args[2])
		crowd(count)
		return
	}
	if os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3], os.Args[4])
	}
	count, _ := strconv.Atoi(os.Args[3])
	if os.Args[1] == "stack" {
		readAnswers(os.Args[2], count)
		return
	}
	if os.Args[1] == "again" {
		again(os.Args[2], count)
		return
	}
	routines, _ := strconv.Atoi(os.Args[4])
	var all sync.WaitGroup
	for i := 0; i < routines; i++ {
		all.Add(1)
		go func() {
			ask(os.Args[2], count, os.Args[5])
			all.Done()
		}()
	}
	all.Wait()
}
