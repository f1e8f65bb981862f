package org.callbench.kit;

import java.util.function.Predicate;
import org.callbench.service.Binary;
import org.callbench.service.Generate;
import org.callbench.service.Item;
import org.callbench.service.Person;
import org.callbench.service.Search;
import org.callbench.service.SearchResponse;
import org.callbench.service.Service;
import org.callbench.service.ServiceFault;
import org.callbench.service.Structure;

/** The check made on every measured answer: constant in time, prepared once from the call. */
final class Expectation {
  static final Predicate<Object> NOTHING = answer -> answer == null;

  /** The server must refuse: no answer is right. */
  private static final Predicate<Object> REFUSAL = answer -> false;

  private Expectation() {}

  static Predicate<Object> persons(int n) {
    if (n < 0 || n > Service.MOST) {
      return REFUSAL;
    }
    Person last = n == 0 ? null : Generate.person(n - 1);
    return answer ->
        answer instanceof Person[] persons
            && persons.length == n
            && (n == 0 || same(persons[n - 1], last));
  }

  private static boolean same(Person one, Person other) {
    return one.ID == other.ID
        && other.FirstName.equals(one.FirstName)
        && other.LastName.equals(one.LastName);
  }

  static Predicate<Object> octets(int size, String fill) {
    if (size < 0 || size > Service.LARGEST) {
      return REFUSAL;
    }
    byte[] made;
    try {
      made = Binary.of(size, fill);
    } catch (ServiceFault unknown) {
      return REFUSAL;
    }
    int length = made.length;
    if (length == 0) {
      return answer -> answer instanceof byte[] bytes && bytes.length == 0;
    }
    byte first = made[0];
    byte last = made[length - 1];
    return answer ->
        answer instanceof byte[] bytes
            && bytes.length == length
            && bytes[0] == first
            && bytes[length - 1] == last;
  }

  static Predicate<Object> structure(Structure sent) {
    int n = sent.beans.length;
    return answer ->
        answer instanceof Structure structure
            && structure.numbers.length == n
            && structure.users.length == n
            && structure.beans.length == n
            && (n == 0 || structure.beans[n - 1].id == n - 1);
  }

  static Predicate<Object> echo(String value) {
    int length = value.length();
    char last = length == 0 ? 0 : value.charAt(length - 1);
    return answer ->
        answer instanceof String text
            && text.length() == length
            && (length == 0 || text.charAt(length - 1) == last);
  }

  static Predicate<Object> items(int n) {
    if (n < 0 || n > Service.MOST) {
      return REFUSAL;
    }
    Item[] made = Search.response(n).searchResult.item;
    String last = n == 0 ? "" : made[n - 1].itemId;
    return answer ->
        answer instanceof SearchResponse found
            && found.searchResult.item.length == n
            && (n == 0 || last.equals(found.searchResult.item[n - 1].itemId));
  }
}
