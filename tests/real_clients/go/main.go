// The franz-go client of the matrix (see ../README.md).
package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	patience     = 60 * time.Second
	recordsLimit = 1 << 20
)

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

type client struct {
	bootstrap string
}

// place is what follows the command in most lines: TOPIC PARTITION.
type place struct {
	topic     string
	partition int32
}

func (c *client) open(options ...kgo.Opt) (*kgo.Client, error) {
	options = append(options, kgo.SeedBrokers(c.bootstrap),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 200 * time.Millisecond }))
	return kgo.NewClient(options...)
}

func (c *client) hello() error {
	version := "?"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/twmb/franz-go" {
				version = module.Version
			}
		}
	}
	say("name franz-go", version, "(Go)")
	say("codecs none gzip snappy lz4 zstd")
	say("can create delete times null_headers idempotent")
	return nil
}

func (c *client) create(ctx context.Context, words []string) error {
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	partitions, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	configs := map[string]*string{}
	for _, config := range words[3:] {
		name, value, _ := strings.Cut(config, "=")
		configs[name] = &value
	}
	_, err = kadm.NewClient(opened).CreateTopic(ctx, int32(partitions), 1, configs, words[1])
	return err
}

func (c *client) remove(ctx context.Context, topic string) error {
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = kadm.NewClient(opened).DeleteTopic(ctx, topic)
	return err
}

func parse(at place, line string) *kgo.Record {
	fields := strings.Fields(line)
	milliseconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		panic(err)
	}
	record := &kgo.Record{Topic: at.topic, Partition: at.partition, Key: unfield(fields[1]),
		Value: unfield(fields[2]), Timestamp: time.UnixMilli(milliseconds)}
	for _, header := range fields[3:] {
		name, value, _ := strings.Cut(header, ":")
		record.Headers = append(record.Headers,
			kgo.RecordHeader{Key: string(unfield(name)), Value: unfield(value)})
	}
	return record
}

func settings(codec, acks string, idempotent bool) []kgo.Opt {
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(),
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	levels := map[string]kgo.Acks{"all": kgo.AllISRAcks(), "1": kgo.LeaderAck(), "0": kgo.NoAck()}
	options := []kgo.Opt{kgo.ProducerBatchCompression(codecs[codec]),
		kgo.RequiredAcks(levels[acks]), kgo.ProducerLinger(20 * time.Millisecond)}
	if !idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	return options
}

func (c *client) produce(ctx context.Context, at place, words []string) error {
	opened, err := c.open(settings(words[3], words[4], words[5] == "1")...)
	if err != nil {
		return err
	}
	defer opened.Close()
	text, err := os.ReadFile(words[6])
	if err != nil {
		return err
	}
	var records []*kgo.Record
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		records = append(records, parse(at, line))
	}
	return opened.ProduceSync(ctx, records...).FirstErr()
}

func (c *client) consume(ctx context.Context, at place, words []string) error {
	offset, err := strconv.ParseInt(words[3], 10, 64)
	if err != nil {
		return err
	}
	left, err := strconv.Atoi(words[4])
	if err != nil {
		return err
	}
	opened, err := c.open(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		at.topic: {at.partition: kgo.NewOffset().At(offset)}}))
	if err != nil {
		return err
	}
	defer opened.Close()
	for left > 0 {
		fetches := opened.PollRecords(ctx, left)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(record *kgo.Record) {
			print(record)
			left--
		})
	}
	return nil
}

func print(record *kgo.Record) {
	words := []any{record.Offset, record.Timestamp.UnixMilli(), field(record.Key),
		field(record.Value)}
	for _, header := range record.Headers {
		words = append(words, field([]byte(header.Key))+":"+field(header.Value))
	}
	say(words...)
}

// time asks with a request of its own: kadm answers the log's end where no record is late enough.
func (c *client) time(ctx context.Context, at place, timestamp string) error {
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Partition = at.partition
	if partition.Timestamp, err = strconv.ParseInt(timestamp, 10, 64); err != nil {
		return err
	}
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic, topic.Partitions = at.topic, []kmsg.ListOffsetsRequestTopicPartition{partition}
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = []kmsg.ListOffsetsRequestTopic{topic}
	answer, err := request.RequestWith(ctx, opened)
	if err != nil {
		return err
	}
	found := answer.Topics[0].Partitions[0]
	say(found.Offset)
	return kerr.ErrorForCode(found.ErrorCode)
}

func (c *client) tooLarge(ctx context.Context, at place, bytes string) error {
	size, err := strconv.Atoi(bytes)
	if err != nil {
		return err
	}
	opened, err := c.open(kgo.ProducerBatchMaxBytes(10_000_000),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return err
	}
	defer opened.Close()
	send := func(value string) error {
		return opened.ProduceSync(ctx, &kgo.Record{Topic: at.topic, Partition: at.partition,
			Value: []byte(value)}).FirstErr()
	}
	var refused *kerr.Error
	if err := send(strings.Repeat("L", size)); errors.As(err, &refused) {
		say(refused.Message)
	} else {
		say(err)
	}
	return send("after the large one")
}

func (c *client) endure(ctx context.Context, at place, words []string) error {
	count, err := strconv.Atoi(words[3])
	if err != nil || count > recordsLimit {
		return fmt.Errorf("a count of %s", words[3])
	}
	opened, err := c.open(settings("none", "all", true)...)
	if err != nil {
		return err
	}
	defer opened.Close()
	type result struct {
		offset int64
		err    error
	}
	results := make([]result, count)
	for index := range count {
		record := &kgo.Record{Topic: at.topic, Partition: at.partition,
			Key: []byte(strconv.Itoa(index)), Value: fmt.Appendf(nil, "endure %d", index)}
		opened.Produce(ctx, record, func(record *kgo.Record, err error) {
			results[index] = result{record.Offset, err}
		})
		time.Sleep(2 * time.Millisecond) // The load is to last until the broker was killed under it.
		if index%100 == 99 {
			say("progress", index+1)
			out.Flush()
		}
	}
	if err := opened.Flush(ctx); err != nil {
		return err
	}
	for index, each := range results {
		if each.err != nil {
			say("failed", index, each.err)
		} else {
			say("acked", index, each.offset)
		}
	}
	return nil
}

func (c *client) run(words []string) error {
	limit := patience
	if words[0] == "endure" {
		limit = 2 * patience
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var at place
	if len(words) > 2 {
		partition, err := strconv.ParseInt(words[2], 10, 32)
		if err != nil {
			return err
		}
		at = place{words[1], int32(partition)}
	}
	switch words[0] {
	case "hello":
		return c.hello()
	case "create":
		return c.create(ctx, words)
	case "delete":
		return c.remove(ctx, words[1])
	case "produce":
		return c.produce(ctx, at, words)
	case "consume":
		return c.consume(ctx, at, words)
	case "time":
		return c.time(ctx, at, words[3])
	case "too_large":
		return c.tooLarge(ctx, at, words[3])
	case "endure":
		return c.endure(ctx, at, words)
	}
	return fmt.Errorf("unknown command %s", words[0])
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go_client HOST:PORT < commands")
		os.Exit(2)
	}
	c := &client{bootstrap: os.Args[1]}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); out.Flush() {
		if err := c.run(strings.Fields(lines.Text())); err != nil {
			fmt.Fprintln(out, "error", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Fprintln(out, "ok")
		}
	}
}
