// The kafka-go client of the matrix (see ../../README.md).
package main

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/segmentio/kafka-go"

	"leat/tests/real_clients/go/driven"
)

const attempts = 300

type client struct {
	bootstrap string
}

func (c *client) ask() *kafka.Client {
	return &kafka.Client{Addr: kafka.TCP(c.bootstrap), Timeout: 30 * time.Second}
}

func (c *client) Facts() (string, string, string) {
	return "github.com/segmentio/kafka-go", "create delete times null_headers", "empty_as_null"
}

func (c *client) Create(ctx context.Context, topic string, partitions int32,
	configs map[string]string) error {
	asked := kafka.TopicConfig{Topic: topic, NumPartitions: int(partitions), ReplicationFactor: 1}
	for name, value := range configs {
		asked.ConfigEntries = append(asked.ConfigEntries,
			kafka.ConfigEntry{ConfigName: name, ConfigValue: value})
	}
	answer, err := c.ask().CreateTopics(ctx,
		&kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{asked}})
	if err != nil {
		return err
	}
	return answer.Errors[topic]
}

func (c *client) Delete(ctx context.Context, topic string) error {
	answer, err := c.ask().DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	if err != nil {
		return err
	}
	return answer.Errors[topic]
}

func (c *client) writer(at driven.Place, how driven.Producing) *kafka.Writer {
	codecs := map[string]kafka.Compression{"none": 0, "gzip": kafka.Gzip,
		"snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd}
	levels := map[string]kafka.RequiredAcks{"all": kafka.RequireAll, "1": kafka.RequireOne,
		"0": kafka.RequireNone}
	return &kafka.Writer{Addr: kafka.TCP(c.bootstrap), Topic: at.Topic,
		Balancer:     kafka.BalancerFunc(func(kafka.Message, ...int) int { return int(at.Partition) }),
		RequiredAcks: levels[how.Acks], Compression: codecs[how.Codec],
		BatchTimeout: 20 * time.Millisecond, BatchBytes: 10_000_000, MaxAttempts: attempts,
		WriteBackoffMin: 50 * time.Millisecond, WriteBackoffMax: 200 * time.Millisecond,
		Transport: &kafka.Transport{}} // Not the one that all share, whose connections live on.
}

func message(record driven.Record) kafka.Message {
	made := kafka.Message{Key: record.Key, Value: record.Value,
		Time: time.UnixMilli(record.Timestamp)}
	for _, header := range record.Headers {
		made.Headers = append(made.Headers, kafka.Header{Key: header.Name, Value: header.Value})
	}
	return made
}

func (c *client) Produce(ctx context.Context, at driven.Place, how driven.Producing,
	records []driven.Record) error {
	writer := c.writer(at, how)
	defer writer.Close()
	var messages []kafka.Message
	for _, record := range records {
		messages = append(messages, message(record))
	}
	return writer.WriteMessages(ctx, messages...)
}

func (c *client) Consume(ctx context.Context, at driven.Place, offset int64, count int,
	each func(int64, driven.Record)) error {
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{c.bootstrap}, Topic: at.Topic,
		Partition: int(at.Partition), MaxWait: 200 * time.Millisecond, MaxBytes: 10_000_000})
	defer reader.Close()
	if err := reader.SetOffset(offset); err != nil {
		return err
	}
	for range count {
		record, err := reader.ReadMessage(ctx)
		if err != nil {
			return err
		}
		found := driven.Record{Timestamp: record.Time.UnixMilli(), Key: record.Key,
			Value: record.Value}
		for _, header := range record.Headers {
			found.Headers = append(found.Headers,
				driven.Header{Name: header.Key, Value: header.Value})
		}
		each(record.Offset, found)
	}
	return nil
}

func (c *client) Time(ctx context.Context, at driven.Place, timestamp int64) (int64, error) {
	answer, err := c.ask().ListOffsets(ctx, &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{at.Topic: {
			kafka.TimeOffsetOf(int(at.Partition), time.UnixMilli(timestamp))}}})
	if err != nil {
		return -1, err
	}
	found := answer.Topics[at.Topic][0]
	for offset := range found.Offsets {
		return offset, found.Error
	}
	return -1, found.Error
}

// refusal is a record's own error where the writer wrapped one for each of them.
func refusal(problem error) error {
	var each kafka.WriteErrors
	if errors.As(problem, &each) {
		return each[0]
	}
	return problem
}

func (c *client) TooLarge(ctx context.Context, at driven.Place, large,
	small driven.Record) (error, error) {
	writer := c.writer(at, driven.Producing{Codec: "none", Acks: "all"})
	defer writer.Close()
	refused := refusal(writer.WriteMessages(ctx, message(large)))
	return refused, writer.WriteMessages(ctx, message(small))
}

func (c *client) Endure(_ context.Context, at driven.Place, _ bool,
	records iter.Seq2[int, driven.Record], done func(int, int64, error)) error {
	writer := c.writer(at, driven.Producing{Codec: "none", Acks: "all"})
	writer.Async = true
	writer.Completion = func(messages []kafka.Message, problem error) {
		for _, each := range messages {
			done(each.WriterData.(int), each.Offset, problem)
		}
	}
	for index, record := range records {
		sent := message(record)
		sent.WriterData = index
		if err := writer.WriteMessages(context.Background(), sent); err != nil {
			return err
		}
	}
	return writer.Close()
}

func (c *client) Member(ctx context.Context, group, topic string,
	read func(int32, int64)) error {
	reader := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{c.bootstrap}, GroupID: group,
		Topic: topic, StartOffset: kafka.FirstOffset, MaxWait: 200 * time.Millisecond,
		HeartbeatInterval: 500 * time.Millisecond})
	for {
		message, err := reader.FetchMessage(ctx)
		if err != nil && ctx.Err() == nil {
			reader.Close()
			return err
		}
		if err != nil {
			return reader.Close()
		}
		read(int32(message.Partition), message.Offset)
		if err := reader.CommitMessages(context.Background(), message); err != nil {
			reader.Close()
			return err
		}
	}
}

func main() {
	driven.Main(func(bootstrap string) driven.Client { return &client{bootstrap} })
}
