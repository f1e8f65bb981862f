package org.callbench.kit;

import java.io.IOException;
import java.nio.file.Path;
import org.callbench.kit.contract.Adapter;
import org.callbench.kit.contract.Speaker;

/** The program: {@code Main FOLDER}, the folder that holds a folder a technology. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Memory.watch();
    new Speaker().speak(new Adapter(new Technologies(Path.of(arguments[0]))));
  }
}
