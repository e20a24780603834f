import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Produced;

/**
 * A Kafka Streams application that counts words: one instance, then two, then only the second, which has to
 * restore the counts of the first from their changelog. Prints each word and its count.
 *
 *     WordCount HOST:PORT FOLDER
 */
public final class WordCount {
    private static final int PATIENCE_S = 60;
    private static final List<TopicPartition> COUNTS =
        List.of(new TopicPartition("counts", 0), new TopicPartition("counts", 1));
    private static final String[] TEXTS = {"all streams lead to kafka", "join kafka summit",
                                           "hello kafka streams", "all hello all"};

    public static void main(String[] arguments) throws Exception {
        String bootstrap = arguments[0];
        Path folder = Path.of(arguments[1]);
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap);
        try (Admin admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic("lines", 2, (short) 1),
                                       new NewTopic("counts", 2, (short) 1))).all().get();
        }
        Map<String, Long> expected = new TreeMap<>();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                 settings, new StringSerializer(), new StringSerializer());
             KafkaConsumer<String, Long> reader = new KafkaConsumer<>(
                 settings, new StringDeserializer(), new LongDeserializer())) {
            reader.assign(COUNTS);
            reader.seekToBeginning(COUNTS);
            KafkaStreams first = start(bootstrap, folder.resolve("first"));
            write(producer, expected);
            await(reader, expected, "one instance");
            KafkaStreams second = start(bootstrap, folder.resolve("second"));
            write(producer, expected);
            await(reader, expected, "two instances");
            first.close(Duration.ofSeconds(PATIENCE_S));
            write(producer, expected);
            await(reader, expected, "the second alone");
            second.close(Duration.ofSeconds(PATIENCE_S));
        }
        expected.forEach((word, count) -> System.out.println(word + " " + count));
        System.exit(0);
    }

    private static KafkaStreams start(String bootstrap, Path state) throws Exception {
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream("lines")
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word)
            .count()
            .toStream()
            .to("counts", Produced.with(Serdes.String(), Serdes.Long()));
        Properties settings = new Properties();
        settings.putAll(Map.of("application.id", "word-count", "bootstrap.servers", bootstrap,
                               "state.dir", Files.createDirectories(state).toString(),
                               "default.key.serde", Serdes.StringSerde.class.getName(),
                               "default.value.serde", Serdes.StringSerde.class.getName(),
                               "processing.guarantee", "at_least_once",
                               "commit.interval.ms", 200, "num.stream.threads", 1));
        settings.put("session.timeout.ms", 6000);  // Of an instance that closes nobody is told.
        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.start();
        for (int turn = 0; streams.state() != KafkaStreams.State.RUNNING; ++turn) {
            if (turn > PATIENCE_S * 10) {
                throw new IllegalStateException("it is " + streams.state());
            }
            Thread.sleep(100);
        }
        return streams;
    }

    private static void write(KafkaProducer<String, String> producer, Map<String, Long> expected) {
        for (int number = 0; number < 50; ++number) {
            String text = TEXTS[number % TEXTS.length];
            producer.send(new ProducerRecord<>("lines", number % 2, null, text));
            for (String word : text.split(" ")) {
                expected.merge(word, 1L, Long::sum);
            }
        }
        producer.flush();
    }

    private static final Map<String, Long> FOUND = new HashMap<>();

    private static void await(KafkaConsumer<String, Long> reader, Map<String, Long> expected,
                              String words) {
        long deadline = System.nanoTime() + Duration.ofSeconds(PATIENCE_S).toNanos();
        while (!FOUND.equals(expected)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(words + ": " + FOUND + ", not " + expected);
            }
            for (ConsumerRecord<String, Long> record : reader.poll(Duration.ofMillis(200))) {
                FOUND.put(record.key(), record.value());
            }
        }
        System.out.println("counted by " + words);
    }
}
