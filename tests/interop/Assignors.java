// Holds what Leat's assignors gave to groups that tests/assignment/assignor_groups printed against
// what the classes of Apache Kafka's group coordinator give to the same groups. Members and earlier
// partitions are handed to them in Leat's order: by member id, by topic id and number.
//
// usage: assignor_groups SEED GROUPS | java -cp 'JARS/*' Assignors.java
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.ConsumerGroupPartitionAssignor;
import org.apache.kafka.coordinator.group.api.assignor.GroupAssignment;
import org.apache.kafka.coordinator.group.api.assignor.SubscribedTopicDescriber;
import org.apache.kafka.coordinator.group.api.assignor.SubscriptionType;
import org.apache.kafka.coordinator.group.assignor.RangeAssignor;
import org.apache.kafka.coordinator.group.assignor.UniformAssignor;
import org.apache.kafka.coordinator.group.modern.Assignment;
import org.apache.kafka.coordinator.group.modern.GroupSpecImpl;
import org.apache.kafka.coordinator.group.modern.MemberSubscriptionAndAssignmentImpl;

public class Assignors {
    record Member(String id, Optional<String> instance, Set<Integer> topics, Set<String> previous) {}

    static List<Uuid> topics;
    static Map<Uuid, Integer> counts;
    static List<Member> members;
    static Map<String, List<Set<String>>> ours;
    static int groups, mixed, moved, compared;

    static Set<String> parts(String text) {
        return text.equals("-") ? Set.of() : new LinkedHashSet<>(Arrays.asList(text.split(",")));
    }

    static Map<Uuid, Set<Integer>> byTopic(Set<String> partitions) {
        Map<Uuid, Set<Integer>> sorted = new TreeMap<>();
        for (String each : partitions) {
            String[] parts = each.split(":");
            sorted.computeIfAbsent(topics.get(Integer.parseInt(parts[0])), t -> new TreeSet<>())
                .add(Integer.parseInt(parts[1]));
        }
        return Collections.unmodifiableMap(new LinkedHashMap<>(sorted));
    }

    static GroupSpecImpl spec() {
        Map<String, MemberSubscriptionAndAssignmentImpl> specs = new TreeMap<>();
        Map<Uuid, Map<Integer, String>> owners = new TreeMap<>();
        Set<Set<Integer>> subscriptions = new HashSet<>();
        for (Member member : members) {
            Set<Uuid> subscribed = new TreeSet<>();
            for (int topic : member.topics) subscribed.add(topics.get(topic));
            subscriptions.add(member.topics);
            Map<Uuid, Set<Integer>> had = byTopic(member.previous);
            had.forEach((topic, partitions) -> partitions.forEach(partition ->
                owners.computeIfAbsent(topic, t -> new TreeMap<>()).put(partition, member.id)));
            specs.put(member.id, new MemberSubscriptionAndAssignmentImpl(Optional.empty(),
                member.instance, subscribed, new Assignment(had)));
        }
        if (subscriptions.size() > 1) mixed++;
        return new GroupSpecImpl(specs, subscriptions.size() > 1 ? SubscriptionType.HETEROGENEOUS
            : SubscriptionType.HOMOGENEOUS, owners);
    }

    static Set<String> partitionsOf(GroupAssignment assignment, String member) {
        Set<String> partitions = new TreeSet<>();
        var given = assignment.members().get(member);
        if (given != null)
            given.partitions().forEach((topic, numbers) -> numbers.forEach(number ->
                partitions.add(topics.indexOf(topic) + ":" + number)));
        return partitions;
    }

    static boolean same(String name, ConsumerGroupPartitionAssignor assignor, GroupSpecImpl spec) {
        GroupAssignment theirs = assignor.assign(spec, new SubscribedTopicDescriber() {
            public int numPartitions(Uuid topic) { return counts.getOrDefault(topic, -1); }
            public Set<String> racksForPartition(Uuid topic, int partition) { return Set.of(); }
        });
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            Set<String> kafkas = partitionsOf(theirs, member.id);
            Set<String> leats = new TreeSet<>(ours.get(name).get(i));
            if (name.equals("uniform") && !leats.equals(new TreeSet<>(member.previous))) moved++;
            if (leats.equals(kafkas)) continue;
            System.out.println(name + ", group " + groups + ": member " + member.id + " gets "
                + leats + ", of Kafka " + kafkas + "; members: " + members);
            return false;
        }
        compared++;
        return true;
    }

    static boolean read(String line) {
        String[] words = line.split(" ");
        switch (words[0]) {
            case "group" -> {
                groups = Integer.parseInt(words[1]);
                topics = new ArrayList<>();
                counts = new LinkedHashMap<>();
                members = new ArrayList<>();
                ours = Map.of("uniform", new ArrayList<>(), "range", new ArrayList<>());
            }
            case "topic" -> {
                topics.add(new Uuid(Long.parseLong(words[1]), Long.parseLong(words[2])));
                counts.put(topics.get(topics.size() - 1), Integer.parseInt(words[3]));
            }
            case "member" -> {
                Set<Integer> subscribed = new TreeSet<>();
                for (String topic : parts(words[3])) subscribed.add(Integer.parseInt(topic));
                members.add(new Member(words[1], words[2].equals("-") ? Optional.empty()
                    : Optional.of(words[2]), subscribed, parts(words[4])));
            }
            case "uniform", "range" -> ours.get(words[0]).add(parts(words[1]));
            default -> {
                GroupSpecImpl spec = spec();
                return same("uniform", new UniformAssignor(), spec)
                    & same("range", new RangeAssignor(), spec);
            }
        }
        return true;
    }

    public static void main(String[] arguments) throws Exception {
        int wrong = 0;
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = input.readLine()) != null && wrong < 5; )
            if (!read(line)) wrong++;
        System.out.println((groups + 1) + " groups, " + mixed + " with different subscriptions, "
            + moved + " members with other partitions than before: " + compared
            + " assignments as Apache Kafka's");
        if (wrong > 0 || compared < 100) System.exit(1);
    }
}
