import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.util.Arrays;
import org.apache.kafka.common.utils.internals.Exit;
import org.apache.kafka.tools.BrokerApiVersionsCommand;
import org.apache.kafka.tools.ClusterTool;
import org.apache.kafka.tools.ConfigCommand;
import org.apache.kafka.tools.ConsoleProducer;
import org.apache.kafka.tools.DeleteRecordsCommand;
import org.apache.kafka.tools.GetOffsetShell;
import org.apache.kafka.tools.GroupsCommand;
import org.apache.kafka.tools.LeaderElectionCommand;
import org.apache.kafka.tools.LogDirsCommand;
import org.apache.kafka.tools.MetadataQuorumCommand;
import org.apache.kafka.tools.TopicCommand;
import org.apache.kafka.tools.consumer.ConsoleConsumer;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;
import org.apache.kafka.tools.reassign.ReassignPartitionsCommand;

/**
 * Runs Kafka's own console tools one after the other in one Java machine, for a start of each costs
 * seconds. A line is `TOOL INPUT OUTPUT ARGUMENT...`; INPUT and OUTPUT are the files that the tool
 * sees as its standard streams, OUTPUT.err takes its error stream. Answers `ok` or `error STATUS`.
 */
public final class ConsoleTools {
    /** Thrown where a tool would have ended the process. */
    private static final class Exited extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Of the first exit only: a tool that catches everything catches Exited too, and exits again. */
    private static Integer exitStatus;
    private static Runnable atExit;

    public static void main(String[] arguments) throws Exception {
        Exit.setExitProcedure((status, message) -> {
            exitStatus = exitStatus == null ? status : exitStatus;
            throw new Exited();
        });
        Exit.setShutdownHookAdder((name, runnable) -> atExit = runnable);
        PrintStream answers = System.out;
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null;) {
            String[] words = line.split(" ");
            int status = run(words[0], words[1], words[2],
                             Arrays.copyOfRange(words, 3, words.length));
            answers.println(status == 0 ? "ok" : "error exit " + status);
            answers.flush();
        }
        System.exit(0);
    }

    private static int run(String tool, String input, String output, String[] arguments)
        throws Exception {
        PrintStream realErr = System.err;
        try (InputStream in = new FileInputStream(input);
             PrintStream out = new PrintStream(new FileOutputStream(output));
             PrintStream err = new PrintStream(new FileOutputStream(output + ".err"))) {
            System.setIn(in);
            System.setOut(out);
            System.setErr(err);
            exitStatus = null;
            call(tool, arguments);
        } catch (Exited exited) {
            // exitStatus tells.
        } finally {
            System.setErr(realErr);
        }
        return exitStatus == null ? 0 : exitStatus;
    }

    private static void call(String tool, String[] arguments) throws Exception {
        switch (tool) {
            case "producer" -> {
                atExit = () -> { };
                try {
                    ConsoleProducer.main(arguments);
                } finally {
                    atExit.run();  // The hook closes the producer, which sends what is left.
                }
            }
            case "consumer" -> {
                // The tool counts in a static, for it expects a process of its own.
                Field count = ConsoleConsumer.class.getDeclaredField("messageCount");
                count.setAccessible(true);
                count.setInt(null, 0);
                ConsoleConsumer.main(arguments);
            }
            case "topics" -> TopicCommand.main(arguments);
            case "offsets" -> GetOffsetShell.main(arguments);
            case "configs" -> ConfigCommand.main(arguments);
            case "api-versions" -> BrokerApiVersionsCommand.main(arguments);
            case "cluster" -> ClusterTool.main(arguments);
            case "elections" -> LeaderElectionCommand.main(arguments);
            case "reassignments" -> ReassignPartitionsCommand.main(arguments);
            case "quorum" -> MetadataQuorumCommand.main(arguments);
            case "log-dirs" -> LogDirsCommand.main(arguments);
            case "groups" -> GroupsCommand.main(arguments);
            case "consumer-groups" -> ConsumerGroupCommand.main(arguments);
            case "delete-records" -> DeleteRecordsCommand.main(arguments);
            default -> throw new IllegalArgumentException(tool);
        }
    }
}
