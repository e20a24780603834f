import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;

import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * Reads messages, one a line (name, version, hexadecimal digits), with Kafka's own classes, and prints what these
 * write, in the same form. A line whose version Kafka does not have any more, and that Leat serves to old clients,
 * is printed as it is.
 */
public class RoundTrip {
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder out = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.append(again(line)).append('\n');
        }
        System.out.print(out);
    }

    private static String again(String line) throws ReflectiveOperationException {
        String[] parts = line.split(" ", 3);
        short version = Short.parseShort(parts[1]);
        Message message = messageNamed(parts[0]);
        if (version < message.lowestSupportedVersion()) {
            return line;
        }
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(parts[2]));
        try {
            message.read(new ByteBufferAccessor(bytes), version);
        } catch (RuntimeException error) {
            return parts[0] + " " + version + " " + error;
        }
        ByteBuffer written = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] hex = new byte[written.remaining()];
        written.get(hex);
        String left = bytes.hasRemaining() ? " and " + bytes.remaining() + " bytes left" : "";
        return parts[0] + " " + version + " " + HexFormat.of().formatHex(hex) + left;
    }

    private static Message messageNamed(String name) throws ReflectiveOperationException {
        String[] places = {
            "org.apache.kafka.common.message." + name + "Data",
            "org.apache.kafka.common.message." + name,
            "org.apache.kafka.coordinator.group.generated." + name,
        };
        for (String place : places) {
            try {
                return (Message) Class.forName(place).getConstructor().newInstance();
            } catch (ClassNotFoundException elsewhere) {
                continue;
            }
        }
        throw new ClassNotFoundException(name);
    }
}
