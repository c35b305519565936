import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Calls of a client on grpc-java. Prints what came of each, a line a call. */
public class Client {
  private static final MethodDescriptor.Marshaller<byte[]> RAW =
      new MethodDescriptor.Marshaller<byte[]>() {
        public InputStream stream(byte[] bytes) {
          return new ByteArrayInputStream(bytes);
        }

        public byte[] parse(InputStream in) {
          try {
            return in.readAllBytes();
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        }
      };

  private static ManagedChannel channel;

  private static void call(String name, String method, String body, CallOptions options, int metadata, boolean codeOnly) {
    MethodDescriptor<byte[], byte[]> m =
        MethodDescriptor.newBuilder(RAW, RAW)
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("peers.Probe/" + method)
            .build();
    Metadata md = new Metadata();
    if (metadata > 0) {
      md.put(Metadata.Key.of("x-large", Metadata.ASCII_STRING_MARSHALLER), "v".repeat(metadata));
    }
    try {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              io.grpc.ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(md)),
              m, options, body.getBytes(StandardCharsets.UTF_8));
      System.out.println(name + ": OK " + answer.length + " bytes");
    } catch (StatusRuntimeException e) {
      String text = codeOnly ? "" : " " + e.getStatus().getDescription();
      System.out.println(name + ": " + e.getStatus().getCode() + text);
    }
  }

  public static void main(String[] args) {
    channel = ManagedChannelBuilder.forTarget(args[0]).usePlaintext().maxInboundMessageSize(1 << 24).build();
    CallOptions usual = CallOptions.DEFAULT;
    call("plain", "Echo", "hello", usual, 0, false);
    call("empty", "Empty", "hello", usual, 0, false);
    call("gzip", "Echo", "hello ".repeat(1000), usual.withCompression("gzip"), 0, false);
    call("gzip, refused", "Refuse", "hello", usual.withCompression("gzip"), 0, false);
    call("refused", "Refuse", "hello", usual, 0, false);
    call("refused without words", "RefuseEmpty", "hello", usual, 0, false);
    call("raised", "Raise", "hello", usual, 0, false);
    call("unknown", "Nope", "hello", usual, 0, false);
    call("slow", "Slow", "hello", usual.withDeadlineAfter(200, TimeUnit.MILLISECONDS), 0, true);
    call("metadata of 4000 bytes", "Echo", "hello", usual, 4000, false);
    call("metadata of 20000 bytes", "Echo", "hello", usual, 20000, false);
    call("too large", "Echo", "a".repeat(4194305), usual, 0, true);
    call("as large as may be", "Empty", "a".repeat(4194304), usual, 0, false);
    call("after all", "Echo", "hello", usual, 0, false);
    channel.shutdownNow();
  }
}
