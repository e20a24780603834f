// The franz-go client of the matrix (see ../../README.md).
package main

import (
	"context"
	"iter"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"leat/tests/real_clients/go/driven"
)

type client struct {
	bootstrap string
}

func (c *client) open(options ...kgo.Opt) (*kgo.Client, error) {
	options = append(options, kgo.SeedBrokers(c.bootstrap),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.RetryBackoffFn(func(int) time.Duration { return 200 * time.Millisecond }))
	return kgo.NewClient(options...)
}

func (c *client) Facts() (string, string, string) {
	return "github.com/twmb/franz-go", "create delete times null_headers idempotent", ""
}

func (c *client) Create(ctx context.Context, topic string, partitions int32,
	configs map[string]string) error {
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	values := map[string]*string{}
	for name, value := range configs {
		values[name] = &value
	}
	_, err = kadm.NewClient(opened).CreateTopic(ctx, partitions, 1, values, topic)
	return err
}

func (c *client) Delete(ctx context.Context, topic string) error {
	opened, err := c.open()
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = kadm.NewClient(opened).DeleteTopic(ctx, topic)
	return err
}

func message(at driven.Place, record driven.Record) *kgo.Record {
	made := &kgo.Record{Topic: at.Topic, Partition: at.Partition, Key: record.Key,
		Value: record.Value, Timestamp: time.UnixMilli(record.Timestamp)}
	for _, header := range record.Headers {
		made.Headers = append(made.Headers,
			kgo.RecordHeader{Key: header.Name, Value: header.Value})
	}
	return made
}

func settings(how driven.Producing) []kgo.Opt {
	codecs := map[string]kgo.CompressionCodec{"none": kgo.NoCompression(),
		"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()}
	levels := map[string]kgo.Acks{"all": kgo.AllISRAcks(), "1": kgo.LeaderAck(), "0": kgo.NoAck()}
	options := []kgo.Opt{kgo.ProducerBatchCompression(codecs[how.Codec]),
		kgo.RequiredAcks(levels[how.Acks]), kgo.ProducerLinger(20 * time.Millisecond)}
	if !how.Idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	return options
}

func (c *client) Produce(ctx context.Context, at driven.Place, how driven.Producing,
	records []driven.Record) error {
	opened, err := c.open(settings(how)...)
	if err != nil {
		return err
	}
	defer opened.Close()
	var messages []*kgo.Record
	for _, record := range records {
		messages = append(messages, message(at, record))
	}
	return opened.ProduceSync(ctx, messages...).FirstErr()
}

func (c *client) Consume(ctx context.Context, at driven.Place, offset int64, count int,
	each func(int64, driven.Record)) error {
	opened, err := c.open(kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{
		at.Topic: {at.Partition: kgo.NewOffset().At(offset)}}))
	if err != nil {
		return err
	}
	defer opened.Close()
	for left := count; left > 0; {
		fetches := opened.PollRecords(ctx, left)
		if err := fetches.Err(); err != nil {
			return err
		}
		fetches.EachRecord(func(record *kgo.Record) {
			found := driven.Record{Timestamp: record.Timestamp.UnixMilli(), Key: record.Key,
				Value: record.Value}
			for _, header := range record.Headers {
				found.Headers = append(found.Headers, driven.Header{Name: header.Key,
					Value: header.Value})
			}
			each(record.Offset, found)
			left--
		})
	}
	return nil
}

// Time asks with a request of its own: kadm answers the log's end where no record is late enough.
func (c *client) Time(ctx context.Context, at driven.Place, timestamp int64) (int64, error) {
	opened, err := c.open()
	if err != nil {
		return -1, err
	}
	defer opened.Close()
	partition := kmsg.NewListOffsetsRequestTopicPartition()
	partition.Partition, partition.Timestamp = at.Partition, timestamp
	topic := kmsg.NewListOffsetsRequestTopic()
	topic.Topic, topic.Partitions = at.Topic, []kmsg.ListOffsetsRequestTopicPartition{partition}
	request := kmsg.NewPtrListOffsetsRequest()
	request.Topics = []kmsg.ListOffsetsRequestTopic{topic}
	answer, err := request.RequestWith(ctx, opened)
	if err != nil {
		return -1, err
	}
	found := answer.Topics[0].Partitions[0]
	return found.Offset, kerr.ErrorForCode(found.ErrorCode)
}

func (c *client) TooLarge(ctx context.Context, at driven.Place, large,
	small driven.Record) (error, error) {
	opened, err := c.open(kgo.ProducerBatchMaxBytes(10_000_000),
		kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	refused := opened.ProduceSync(ctx, message(at, large)).FirstErr()
	return refused, opened.ProduceSync(ctx, message(at, small)).FirstErr()
}

func (c *client) Endure(ctx context.Context, at driven.Place, idempotent bool,
	records iter.Seq2[int, driven.Record], done func(int, int64, error)) error {
	opened, err := c.open(settings(driven.Producing{Codec: "none", Acks: "all",
		Idempotent: idempotent})...)
	if err != nil {
		return err
	}
	defer opened.Close()
	for index, record := range records {
		opened.Produce(ctx, message(at, record), func(record *kgo.Record, problem error) {
			done(index, record.Offset, problem)
		})
	}
	return opened.Flush(ctx)
}

func (c *client) Member(ctx context.Context, group, topic string,
	read func(int32, int64)) error {
	options := []kgo.Opt{kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(),
		kgo.HeartbeatInterval(500 * time.Millisecond), kgo.FetchMaxWait(200 * time.Millisecond)}
	if os.Getenv("GROUP_PROTOCOL") == "consumer" {
		// It asks for `uniform` by this; with another balancer it stays classic, without a word.
		options = append(options, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	}
	opened, err := c.open(options...)
	if err != nil {
		return err
	}
	defer opened.Close()
	for ctx.Err() == nil {
		fetches := opened.PollFetches(ctx)
		if err := fetches.Err(); err != nil && ctx.Err() == nil {
			return err
		}
		fetches.EachRecord(func(record *kgo.Record) { read(record.Partition, record.Offset) })
		// Not ended by ctx: what was read is committed before the group is left.
		if err := opened.CommitUncommittedOffsets(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	driven.Main(func(bootstrap string) driven.Client { return &client{bootstrap} })
}
