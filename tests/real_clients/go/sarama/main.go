// The sarama client of the matrix (see ../../README.md).
package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"leat/tests/real_clients/go/driven"
)

type client struct {
	bootstrap string
}

func (c *client) config() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Metadata.Retry.Max, config.Metadata.Retry.Backoff = 300, 200*time.Millisecond
	config.Consumer.MaxWaitTime = 200 * time.Millisecond
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.Return.Successes = true
	config.Producer.Retry.Max, config.Producer.Retry.Backoff = 300, 200*time.Millisecond
	return config
}

func (c *client) brokers() []string { return []string{c.bootstrap} }

func (c *client) Facts() (string, string, string) {
	return "github.com/IBM/sarama", "create delete times null_headers idempotent", ""
}

func (c *client) Create(_ context.Context, topic string, partitions int32,
	configs map[string]string) error {
	admin, err := sarama.NewClusterAdmin(c.brokers(), c.config())
	if err != nil {
		return err
	}
	defer admin.Close()
	values := map[string]*string{}
	for name, value := range configs {
		values[name] = &value
	}
	return admin.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: partitions,
		ReplicationFactor: 1, ConfigEntries: values}, false)
}

func (c *client) Delete(_ context.Context, topic string) error {
	admin, err := sarama.NewClusterAdmin(c.brokers(), c.config())
	if err != nil {
		return err
	}
	defer admin.Close()
	return admin.DeleteTopic(topic)
}

// encoder keeps null apart from empty: an encoder of a nil slice is not a nil encoder.
func encoder(bytes []byte) sarama.Encoder {
	if bytes == nil {
		return nil
	}
	return sarama.ByteEncoder(bytes)
}

func message(at driven.Place, record driven.Record) *sarama.ProducerMessage {
	made := &sarama.ProducerMessage{Topic: at.Topic, Partition: at.Partition,
		Key: encoder(record.Key), Value: encoder(record.Value),
		Timestamp: time.UnixMilli(record.Timestamp)}
	for _, header := range record.Headers {
		made.Headers = append(made.Headers,
			sarama.RecordHeader{Key: []byte(header.Name), Value: header.Value})
	}
	return made
}

func (c *client) producing(how driven.Producing) *sarama.Config {
	codecs := map[string]sarama.CompressionCodec{"none": sarama.CompressionNone,
		"gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy,
		"lz4": sarama.CompressionLZ4, "zstd": sarama.CompressionZSTD}
	levels := map[string]sarama.RequiredAcks{"all": sarama.WaitForAll,
		"1": sarama.WaitForLocal, "0": sarama.NoResponse}
	config := c.config()
	config.Producer.Compression = codecs[how.Codec]
	config.Producer.RequiredAcks = levels[how.Acks]
	config.Producer.Flush.Frequency = 20 * time.Millisecond
	if how.Idempotent {
		config.Producer.Idempotent = true
		config.Net.MaxOpenRequests = 1 // Sarama asks for it.
	}
	return config
}

func (c *client) Produce(_ context.Context, at driven.Place, how driven.Producing,
	records []driven.Record) error {
	producer, err := sarama.NewSyncProducer(c.brokers(), c.producing(how))
	if err != nil {
		return err
	}
	defer producer.Close()
	var messages []*sarama.ProducerMessage
	for _, record := range records {
		messages = append(messages, message(at, record))
	}
	return producer.SendMessages(messages)
}

func (c *client) Consume(ctx context.Context, at driven.Place, offset int64, count int,
	each func(int64, driven.Record)) error {
	consumer, err := sarama.NewConsumer(c.brokers(), c.config())
	if err != nil {
		return err
	}
	defer consumer.Close()
	reader, err := consumer.ConsumePartition(at.Topic, at.Partition, offset)
	if err != nil {
		return err
	}
	defer reader.Close()
	for left := count; left > 0; left-- {
		select {
		case record := <-reader.Messages():
			if record == nil {
				return fmt.Errorf("reading ended with %d records missing", left)
			}
			found := driven.Record{Timestamp: record.Timestamp.UnixMilli(), Key: record.Key,
				Value: record.Value}
			for _, header := range record.Headers {
				found.Headers = append(found.Headers,
					driven.Header{Name: string(header.Key), Value: header.Value})
			}
			each(record.Offset, found)
		case <-ctx.Done():
			return fmt.Errorf("%d records missing", left)
		}
	}
	return nil
}

func (c *client) Time(_ context.Context, at driven.Place, timestamp int64) (int64, error) {
	opened, err := sarama.NewClient(c.brokers(), c.config())
	if err != nil {
		return -1, err
	}
	defer opened.Close()
	return opened.GetOffset(at.Topic, at.Partition, timestamp)
}

func (c *client) TooLarge(_ context.Context, at driven.Place, large,
	small driven.Record) (error, error) {
	config := c.config()
	config.Producer.MaxMessageBytes = 10_000_000
	producer, err := sarama.NewSyncProducer(c.brokers(), config)
	if err != nil {
		return nil, err
	}
	defer producer.Close()
	_, _, refused := producer.SendMessage(message(at, large))
	_, _, err = producer.SendMessage(message(at, small))
	return refused, err
}

func (c *client) Endure(_ context.Context, at driven.Place, idempotent bool,
	records iter.Seq2[int, driven.Record], done func(int, int64, error)) error {
	config := c.producing(driven.Producing{Codec: "none", Acks: "all", Idempotent: idempotent})
	producer, err := sarama.NewAsyncProducer(c.brokers(), config)
	if err != nil {
		return err
	}
	var settled sync.WaitGroup
	settled.Go(func() {
		for sent := range producer.Successes() {
			done(sent.Metadata.(int), sent.Offset, nil)
		}
	})
	settled.Go(func() {
		for failed := range producer.Errors() {
			done(failed.Msg.Metadata.(int), -1, failed.Err)
		}
	})
	for index, record := range records {
		sent := message(at, record)
		sent.Metadata = index
		producer.Input() <- sent
	}
	producer.AsyncClose()
	settled.Wait()
	return nil
}

// member reads one claim each, in a thread of its own.
type member struct {
	read func(int32, int64)
}

func (member) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (m member) ConsumeClaim(session sarama.ConsumerGroupSession,
	claim sarama.ConsumerGroupClaim) error {
	for message := range claim.Messages() {
		m.read(message.Partition, message.Offset)
		session.MarkMessage(message, "")
		session.Commit()
	}
	return nil
}

func (c *client) Member(ctx context.Context, group, topic string,
	read func(int32, int64)) error {
	config := c.config()
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	config.Consumer.Offsets.AutoCommit.Enable = false
	config.Consumer.Group.Heartbeat.Interval = 500 * time.Millisecond
	opened, err := sarama.NewConsumerGroup(c.brokers(), group, config)
	if err != nil {
		return err
	}
	for ctx.Err() == nil { // Consume returns at each rebalance.
		if err := opened.Consume(ctx, []string{topic}, member{read}); err != nil && ctx.Err() == nil {
			opened.Close()
			return err
		}
	}
	return opened.Close()
}

func main() {
	driven.Main(func(bootstrap string) driven.Client { return &client{bootstrap} })
}
