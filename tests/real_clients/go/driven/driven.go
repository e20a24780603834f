// Package driven reads the commands of ../../README.md from standard input, has a client carry them
// out, and answers on standard output. What is the same for every Go client is here.
package driven

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"iter"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	patience     = 60 * time.Second
	recordsLimit = 1 << 20
	pace         = 2 * time.Millisecond // Of endure, whose load is to last until the broker is killed.
)

// Place is where records go to or come from.
type Place struct {
	Topic     string
	Partition int32
}

type Header struct {
	Name  string
	Value []byte
}

// Record has a timestamp in milliseconds; a nil key or value is null, an empty one is empty.
type Record struct {
	Timestamp  int64
	Key, Value []byte
	Headers    []Header
}

// Producing is how a command wants its records written.
type Producing struct {
	Codec, Acks string // As in Kafka's own configuration: "lz4", "all".
	Idempotent  bool
}

// Client is one library. The context ends when the driver has no more patience.
type Client interface {
	// Facts answers `hello`: the path of the library's module, what it `can` and how it `sees`.
	Facts() (module, can, sees string)
	Create(ctx context.Context, topic string, partitions int32, configs map[string]string) error
	Delete(ctx context.Context, topic string) error
	// Produce returns when every record is acknowledged.
	Produce(ctx context.Context, at Place, how Producing, records []Record) error
	// Consume calls each for COUNT records from the offset on.
	Consume(ctx context.Context, at Place, offset int64, count int, each func(int64, Record)) error
	Time(ctx context.Context, at Place, timestamp int64) (int64, error)
	// TooLarge returns what became of the large record, then of the small one behind it.
	TooLarge(ctx context.Context, at Place, large, small Record) (refused, problem error)
	// Endure sends every record, told by its index, and calls done once for each from any thread.
	Endure(ctx context.Context, at Place, idempotent bool, records iter.Seq2[int, Record],
		done func(index int, offset int64, problem error)) error
	// Member reads topic as a member of group, says each record to read, from any thread, and
	// commits it; it leaves the group when the context ends, which is no error.
	Member(ctx context.Context, group, topic string, read func(partition int32, offset int64)) error
}

var out = bufio.NewWriterSize(os.Stdout, 1<<16)

func say(words ...any) {
	fmt.Fprintln(out, append([]any{"="}, words...)...)
}

func field(bytes []byte) string {
	if bytes == nil {
		return "null"
	}
	return "x" + hex.EncodeToString(bytes)
}

func unfield(text string) []byte {
	if text == "null" {
		return nil
	}
	bytes, err := hex.DecodeString(text[1:])
	if err != nil {
		panic(err)
	}
	return bytes
}

func number(word string) int64 {
	value, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func parse(line string) Record {
	fields := strings.Fields(line)
	record := Record{Timestamp: number(fields[0]), Key: unfield(fields[1]),
		Value: unfield(fields[2])}
	for _, header := range fields[3:] {
		name, value, _ := strings.Cut(header, ":")
		record.Headers = append(record.Headers, Header{string(unfield(name)), unfield(value)})
	}
	return record
}

func hello(client Client) {
	path, can, sees := client.Facts()
	version := "?"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == path {
				version = strings.TrimPrefix(module.Version, "v")
			}
		}
	}
	say("name", path[strings.LastIndex(path, "/")+1:], version, "(Go)")
	say("codecs none gzip snappy lz4 zstd")
	say("can", can)
	say("sees", sees)
}

func produce(ctx context.Context, client Client, at Place, words []string) error {
	text, err := os.ReadFile(words[3])
	if err != nil {
		return err
	}
	var records []Record
	for line := range strings.Lines(string(text)) {
		records = append(records, parse(line))
	}
	how := Producing{Codec: words[0], Acks: words[1], Idempotent: words[2] == "1"}
	return client.Produce(ctx, at, how, records)
}

func print(offset int64, record Record) {
	words := []any{offset, record.Timestamp, field(record.Key), field(record.Value)}
	for _, header := range record.Headers {
		words = append(words, field([]byte(header.Name))+":"+field(header.Value))
	}
	say(words...)
}

func tooLarge(ctx context.Context, client Client, at Place, size int64) error {
	refused, err := client.TooLarge(ctx, at,
		Record{Timestamp: time.Now().UnixMilli(), Value: []byte(strings.Repeat("L", int(size)))},
		Record{Timestamp: time.Now().UnixMilli(), Value: []byte("after the large one")})
	say(refused)
	return err
}

// paced yields the records of endure slowly and says how far it is.
func paced(count int) iter.Seq2[int, Record] {
	return func(yield func(int, Record) bool) {
		for index := range count {
			if !yield(index, Record{Timestamp: time.Now().UnixMilli(),
				Key:   []byte(strconv.Itoa(index)),
				Value: fmt.Appendf(nil, "endure %d", index)}) {
				return
			}
			time.Sleep(pace)
			if index%100 == 99 {
				say("progress", index+1)
				out.Flush()
			}
		}
	}
}

func endure(ctx context.Context, client Client, at Place, words []string) error {
	count := number(words[0])
	if count > recordsLimit {
		return fmt.Errorf("a count of %d", count)
	}
	type result struct {
		index   int
		offset  int64
		problem error
	}
	results := make(chan result, count)
	err := client.Endure(ctx, at, words[1] == "1", paced(int(count)),
		func(index int, offset int64, problem error) {
			results <- result{index, offset, problem}
		})
	if err != nil {
		return err
	}
	for range count {
		select {
		case each := <-results:
			if each.problem != nil {
				say("failed", each.index, each.problem)
			} else {
				say("acked", each.index, each.offset)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// member lets a client read until the file words[3] is there.
func member(ctx context.Context, client Client, words []string) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(words[3]); err == nil {
				leave()
			}
			time.Sleep(50 * time.Millisecond)
		}
	}()
	var saying sync.Mutex
	return client.Member(ctx, words[1], words[2], func(partition int32, offset int64) {
		saying.Lock()
		defer saying.Unlock()
		say(partition, offset)
		out.Flush()
	})
}

func run(client Client, words []string) error {
	limit := patience
	if words[0] == "endure" || words[0] == "member" {
		limit = 2 * patience
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	switch words[0] {
	case "hello":
		hello(client)
		return nil
	case "create":
		configs := map[string]string{}
		for _, config := range words[3:] {
			name, value, _ := strings.Cut(config, "=")
			configs[name] = value
		}
		return client.Create(ctx, words[1], int32(number(words[2])), configs)
	case "delete":
		return client.Delete(ctx, words[1])
	case "member":
		return member(ctx, client, words)
	}
	at, rest := Place{words[1], int32(number(words[2]))}, words[3:]
	switch words[0] {
	case "produce":
		return produce(ctx, client, at, rest)
	case "consume":
		return client.Consume(ctx, at, number(rest[0]), int(number(rest[1])), print)
	case "time":
		offset, err := client.Time(ctx, at, number(rest[0]))
		say(offset)
		return err
	case "too_large":
		return tooLarge(ctx, client, at, number(rest[0]))
	case "endure":
		return endure(ctx, client, at, rest)
	}
	return fmt.Errorf("unknown command %s", words[0])
}

// Main is the whole program around a client, which open makes for a broker's HOST:PORT.
func Main(open func(bootstrap string) Client) {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: PROGRAM HOST:PORT < commands")
		os.Exit(2)
	}
	client := open(os.Args[1])
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); out.Flush() {
		if err := run(client, strings.Fields(lines.Text())); err != nil {
			fmt.Fprintln(out, "error", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Fprintln(out, "ok")
		}
	}
}
