package org.callbench.kit;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The technologies that are built with the kit. Each has a folder with its jars and a
 * `technology.properties` that names its stacks.
 *
 * <p>A technology is loaded when its first stack is used, by its own class loader. So two versions
 * of a library can be used, and none is loaded while another is measured.
 *
 * <p>The file contains {@code stack.NAME = CLASS} or {@code stack.NAME = CLASS ARGUMENT} (for the
 * constructor); {@code libraries}, the artifacts whose versions hello reports; and {@code
 * system.NAME = VALUE}, system properties that are set before the technology is loaded; {@code own
 * = NAME}, the stack that carries the calls of a service of the user's own. A runner with such
 * calls has no other stacks.
 */
final class Technologies {
  private static final String FILE = "technology.properties";
  private static final String STACK = "stack.";
  private static final String OWN = "own";
  private static final String SYSTEM = "system.";

  private final Map<String, Technology> byStack = new TreeMap<>();
  private final Map<String, String> libraries = new TreeMap<>();
  private final Map<String, Stack> made = new HashMap<>();
  private final Path own;

  /** A folder of jars. */
  private static final class Technology {
    final Path folder;
    final Properties said;
    ClassLoader loader;

    Technology(Path folder, Properties said) {
      this.folder = folder;
      this.said = said;
    }
  }

  /**
   * Reads the folders of {@code root} without loading anything.
   *
   * @param own classes for the calls of a service of the user's own, which all technologies see;
   *     null if there is none
   */
  Technologies(Path root, Path own) throws IOException {
    this.own = own;
    try (Stream<Path> folders = Files.list(root)) {
      for (Path folder : folders.sorted().toList()) {
        if (Files.exists(folder.resolve(FILE))) {
          read(folder);
        }
      }
    }
  }

  private void read(Path folder) throws IOException {
    Properties said = new Properties();
    try (InputStream from = Files.newInputStream(folder.resolve(FILE))) {
      said.load(from);
    }
    Technology technology = new Technology(folder, said);
    for (String key : said.stringPropertyNames()) {
      if (key.startsWith(STACK) && (own == null || carriesOwn(said, key))) {
        byStack.put(key.substring(STACK.length()), technology);
      }
    }
    List<Path> jars = jars(folder);
    for (String artifact : said.getProperty("libraries", "").split(" +")) {
      Pattern named = Pattern.compile(Pattern.quote(artifact) + "-([0-9].*)\\.jar");
      for (Path jar : jars) {
        Matcher match = named.matcher(jar.getFileName().toString());
        if (match.matches()) {
          // If two technologies contain different versions, both are reported.
          libraries.merge(
              artifact,
              match.group(1),
              (one, other) -> one.equals(other) ? one : one + " and " + other);
        }
      }
    }
  }

  private static boolean carriesOwn(Properties said, String key) {
    return key.substring(STACK.length()).equals(said.getProperty(OWN));
  }

  private static List<Path> jars(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** All stacks, by the part of their name after the slash. */
  Set<String> names() {
    return byStack.keySet();
  }

  /** The versions of the artifacts on disk. */
  Map<String, String> libraries() {
    return libraries;
  }

  /**
   * The stack with this name. From then on, the calling thread and those that it starts see the
   * classes of its technology.
   */
  Stack stack(String name) throws Failure {
    Technology technology = byStack.get(name);
    if (technology == null) {
      throw Failure.badRequest("there is no stack called " + name + " here");
    }
    try {
      if (technology.loader == null) {
        technology.loader = load(technology);
      }
      Thread.currentThread().setContextClassLoader(technology.loader);
      Stack stack = made.get(name);
      if (stack == null) {
        stack =
            make(
                technology.said.getProperty(STACK + name).trim().split(" +", 2), technology.loader);
        made.put(name, stack);
      }
      return stack;
    } catch (IOException | ReflectiveOperationException | LinkageError failure) {
      Throwable cause = failure instanceof InvocationTargetException ? failure.getCause() : failure;
      throw new Failure(
          Kind.UNSUPPORTED, "stack java/" + name + " cannot be loaded: " + cause, cause);
    }
  }

  private ClassLoader load(Technology technology) throws IOException {
    for (String key : technology.said.stringPropertyNames()) {
      if (key.startsWith(SYSTEM)) {
        System.setProperty(key.substring(SYSTEM.length()), technology.said.getProperty(key));
      }
    }
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars(technology.folder)) {
      urls.add(url(jar));
    }
    if (own != null) {
      urls.add(url(own));
    }
    return new URLClassLoader(urls.toArray(URL[]::new), Technologies.class.getClassLoader());
  }

  private static URL url(Path jar) throws MalformedURLException {
    return jar.toUri().toURL();
  }

  private static Stack make(String[] said, ClassLoader loader) throws ReflectiveOperationException {
    Class<? extends Stack> type = loader.loadClass(said[0]).asSubclass(Stack.class);
    return said.length == 1
        ? type.getDeclaredConstructor().newInstance()
        : type.getDeclaredConstructor(String.class).newInstance(said[1]);
  }
}
