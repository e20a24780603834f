import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The Java client of the matrix (see ../README.md); one source for every version of kafka-clients. */
public final class Client {
    private static final int PATIENCE_S = 60;
    private static final PrintStream OUT =
        new PrintStream(System.out, false, StandardCharsets.UTF_8);

    private final String bootstrap;
    private KafkaConsumer<byte[], byte[]> reader;

    private Client(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    public static void main(String[] arguments) throws IOException {
        Client client = new Client(arguments[0]);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; OUT.flush()) {
            try {
                client.run(line.split(" "));
                OUT.println("ok");
            } catch (ExecutionException problem) {
                OUT.println("error " + problem.getCause());
            } catch (Exception problem) {
                OUT.println("error " + problem);
            }
        }
        System.exit(0);
    }

    private void run(String[] words) throws Exception {
        switch (words[0]) {
            case "hello" -> hello();
            case "create" -> create(words);
            case "delete" -> delete(words[1]);
            case "produce" -> produce(words);
            case "consume" -> consume(place(words), Long.parseLong(words[3]),
                                      Integer.parseInt(words[4]));
            case "time" -> time(place(words), Long.parseLong(words[3]));
            case "too_large" -> tooLarge(place(words), Integer.parseInt(words[3]));
            case "endure" -> endure(place(words), Integer.parseInt(words[3]),
                                    words[4].equals("1"));
            case "member" -> member(words[1], words[2], Path.of(words[3]));
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static TopicPartition place(String[] words) {
        return new TopicPartition(words[1], Integer.parseInt(words[2]));
    }

    private static String field(byte[] bytes) {
        return bytes == null ? "null" : "x" + HexFormat.of().formatHex(bytes);
    }

    private static byte[] bytes(String field) {
        return field.equals("null") ? null : HexFormat.of().parseHex(field.substring(1));
    }

    private void hello() throws IOException {
        Properties facts = new Properties();
        facts.load(KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties"));
        OUT.println("= name kafka-clients " + facts.getProperty("version") + " (Java)");
        OUT.println("= codecs none gzip snappy lz4 zstd");
        OUT.println("= can create delete times null_headers idempotent");
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("reconnect.backoff.max.ms", 500);
        return settings;
    }

    private void create(String[] words) throws Exception {
        Map<String, String> configs = new HashMap<>();
        for (String config : Arrays.asList(words).subList(3, words.length)) {
            configs.put(config.split("=")[0], config.split("=")[1]);
        }
        NewTopic topic = new NewTopic(words[1], Optional.of(Integer.parseInt(words[2])),
                                      Optional.empty()).configs(configs);
        try (Admin admin = Admin.create(settings())) {
            admin.createTopics(List.of(topic)).all().get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private void delete(String topic) throws Exception {
        try (Admin admin = Admin.create(settings())) {
            admin.deleteTopics(List.of(topic)).all().get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private KafkaProducer<byte[], byte[]> producer(Map<String, Object> extra) {
        Map<String, Object> settings = settings();
        settings.putAll(extra);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void produce(String[] words) throws Exception {
        Map<String, Object> settings = Map.of("compression.type", words[3], "acks", words[4],
                                              "enable.idempotence", words[5].equals("1"),
                                              "linger.ms", 20);
        try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (String line : Files.readAllLines(Path.of(words[6]))) {
                sent.add(producer.send(record(place(words), line.split(" "))));
            }
            producer.flush();
            for (Future<RecordMetadata> each : sent) {
                each.get(PATIENCE_S, TimeUnit.SECONDS);
            }
        }
    }

    private static ProducerRecord<byte[], byte[]> record(TopicPartition place, String[] fields) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
            place.topic(), place.partition(), Long.parseLong(fields[0]), bytes(fields[1]),
            bytes(fields[2]));
        for (String header : Arrays.asList(fields).subList(3, fields.length)) {
            String[] pair = header.split(":");
            record.headers().add(new String(bytes(pair[0]), StandardCharsets.UTF_8),
                                 bytes(pair[1]));
        }
        return record;
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        if (reader == null) {
            Map<String, Object> settings = settings();
            settings.put("auto.offset.reset", "none");
            settings.put("enable.auto.commit", false);
            settings.put("fetch.max.wait.ms", 200);
            reader = new KafkaConsumer<>(settings, new ByteArrayDeserializer(),
                                         new ByteArrayDeserializer());
        }
        return reader;
    }

    private void consume(TopicPartition place, long offset, int count) throws TimeoutException {
        consumer().assign(List.of(place));
        consumer().seek(place, offset);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S / 2);
        for (int left = count; left > 0;) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(left + " records missing");
            }
            for (ConsumerRecord<byte[], byte[]> record : consumer().poll(Duration.ofMillis(500))) {
                if (left > 0) {
                    print(record);
                    --left;
                }
            }
        }
    }

    private void member(String group, String topic, Path until) {
        Map<String, Object> settings = settings();
        settings.putAll(Map.of("group.id", group, "auto.offset.reset", "earliest",
                               "enable.auto.commit", false, "fetch.max.wait.ms", 200));
        String protocol = System.getenv("GROUP_PROTOCOL");
        if (protocol == null) {
            settings.put("heartbeat.interval.ms", 500);
        } else {
            settings.put("group.protocol", protocol);
        }
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                 settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (!Files.exists(until)) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    OUT.println("= " + record.partition() + " " + record.offset());
                }
                OUT.flush();
                try {
                    consumer.commitSync();
                } catch (RebalanceInProgressException | CommitFailedException problem) {
                    // Who owns the partitions next reads these records again.
                }
            }
        }
    }

    private static void print(ConsumerRecord<byte[], byte[]> record) {
        StringBuilder line = new StringBuilder("= ")
            .append(record.offset()).append(' ').append(record.timestamp()).append(' ')
            .append(field(record.key())).append(' ').append(field(record.value()));
        for (Header header : record.headers()) {
            line.append(' ').append(field(header.key().getBytes(StandardCharsets.UTF_8)))
                .append(':').append(field(header.value()));
        }
        OUT.println(line);
    }

    private void time(TopicPartition place, long timestamp) {
        OffsetAndTimestamp found = consumer().offsetsForTimes(Map.of(place, timestamp)).get(place);
        OUT.println("= " + (found == null ? -1 : found.offset()));
    }

    private void tooLarge(TopicPartition place, int size) throws Exception {
        Map<String, Object> settings = Map.of("max.request.size", 10_000_000);
        try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
            byte[] large = new byte[size];
            Arrays.fill(large, (byte) 'L');
            try {
                send(producer, place, "key", large).get(PATIENCE_S, TimeUnit.SECONDS);
                OUT.println("= NO_ERROR");
            } catch (ExecutionException problem) {
                OUT.println("= " + problem.getCause().getClass().getSimpleName());
            }
            send(producer, place, "key", "after the large one".getBytes())
                .get(PATIENCE_S, TimeUnit.SECONDS);
        }
    }

    private static Future<RecordMetadata> send(KafkaProducer<byte[], byte[]> producer,
                                               TopicPartition place, String key, byte[] value) {
        return producer.send(new ProducerRecord<>(place.topic(), place.partition(), key.getBytes(),
                                                  value));
    }

    private void endure(TopicPartition place, int count, boolean idempotent) throws Exception {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        Map<String, Object> settings = Map.of("acks", "all", "enable.idempotence", idempotent,
                                              "linger.ms", 5, "delivery.timeout.ms", 90_000);
        try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
            for (int index = 0; index < count; ++index) {
                sent.add(send(producer, place, "" + index, ("endure " + index).getBytes()));
                Thread.sleep(2);  // The load is to last until the broker was killed under it.
                if (index % 100 == 99) {
                    OUT.println("= progress " + (index + 1));
                    OUT.flush();
                }
            }
        }
        for (int index = 0; index < count; ++index) {
            try {
                OUT.println("= acked " + index + " " + sent.get(index).get().offset());
            } catch (ExecutionException problem) {
                OUT.println("= failed " + index + " " + problem.getCause());
            }
        }
    }
}
