package org.callbench.service;

import java.util.Locale;

/** Persons, strings and structures, made from a short description. */
public final class Generate {
  private static final String TEXT = "The quick brown fox jumps over the lazy dog again.";

  /** 1 January 2007, in milliseconds since 1970. */
  private static final long CREATED = 1_167_609_600_000L;

  /** So many characters lie between U+0020 and U+D7FF. */
  private static final int BELOW_SURROGATES = 55_264;

  private static final int PLANE_CHARACTERS = 63_454;

  private Generate() {}

  public static Person person(int index) {
    int last = (int) ((index * 31L + index / Names.COUNT + 7) % Names.COUNT);
    return new Person(index, Names.FIRST[index % Names.COUNT], Names.LAST[last]);
  }

  /** The first n persons. */
  public static Person[] persons(int n) {
    Person[] persons = new Person[n];
    for (int i = 0; i < n; i++) {
      persons[i] = person(i);
    }
    return persons;
  }

  /** The structure of size n. */
  public static Structure structure(int n) {
    Structure structure = new Structure();
    structure.text = TEXT;
    structure.numbers = new int[n];
    structure.users = new UserDetails[n];
    structure.beans = new TestStructureBean[n];
    for (int i = 0; i < n; i++) {
      structure.numbers[i] = i * 7919;
      structure.users[i] = user(i);
      structure.beans[i] = bean(i);
    }
    return structure;
  }

  private static UserDetails user(int i) {
    Person person = person(i);
    UserDetails user = new UserDetails();
    user.userName = person.FirstName.toLowerCase(Locale.ROOT) + i;
    user.fullName = person.FirstName + " " + person.LastName;
    user.email = user.userName + "@example.org";
    user.age = 18 + i % 60;
    user.active = i % 2 == 0;
    user.created = CREATED + i * 60_000L;
    return user;
  }

  private static TestStructureBean bean(int i) {
    TestStructureBean bean = new TestStructureBean();
    bean.id = i;
    bean.name = "bean" + i;
    bean.description = "A bean of the test structure, number " + i;
    bean.amount = i * 1.25;
    bean.flag = i % 3 == 0;
    bean.related = new int[] {i, i + 1, i + 2};
    return bean;
  }

  /** So many capital letters. */
  public static String letters(SplitMix64 generator, int count) {
    char[] letters = new char[count];
    for (int i = 0; i < count; i++) {
      letters[i] = letter(generator);
    }
    return new String(letters);
  }

  /** One capital letter. */
  public static char letter(SplitMix64 generator) {
    return (char) ('A' + generator.draw(26));
  }

  /** So many characters from U+0020 to U+FFFD without surrogates. */
  public static char[] plane(long seed, int count) {
    SplitMix64 generator = new SplitMix64(seed);
    char[] plane = new char[count];
    for (int i = 0; i < count; i++) {
      int k = generator.draw(PLANE_CHARACTERS);
      plane[i] = (char) (k < BELOW_SURROGATES ? 0x20 + k : 0xE000 + k - BELOW_SURROGATES);
    }
    return plane;
  }
}
