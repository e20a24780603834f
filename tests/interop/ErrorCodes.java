import org.apache.kafka.common.protocol.Errors;

/** Prints Kafka's error codes with their names, one a line. */
public class ErrorCodes {
    public static void main(String[] arguments) {
        for (Errors error : Errors.values()) {
            System.out.println(error.code() + " " + error.name());
        }
    }
}
