package org.callbench.grpc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.callbench.proto.Person;
import org.callbench.proto.Structure;
import org.callbench.proto.TestStructureBean;
import org.callbench.proto.UserDetails;

/** The service's records as messages, and back. */
final class Records {
  private Records() {}

  static Person person(org.callbench.service.Person it) {
    return Person.newBuilder()
        .setId(it.ID)
        .setFirstName(it.FirstName)
        .setLastName(it.LastName)
        .build();
  }

  static org.callbench.service.Person person(Person it) {
    return new org.callbench.service.Person(it.getId(), it.getFirstName(), it.getLastName());
  }

  static List<Person> persons(org.callbench.service.Person[] those) {
    List<Person> persons = new ArrayList<>(those.length);
    for (org.callbench.service.Person each : those) {
      persons.add(person(each));
    }
    return persons;
  }

  static org.callbench.service.Person[] persons(List<Person> those) {
    org.callbench.service.Person[] persons = new org.callbench.service.Person[those.size()];
    for (int i = 0; i < persons.length; i++) {
      persons[i] = person(those.get(i));
    }
    return persons;
  }

  static Structure structure(org.callbench.service.Structure it) {
    Structure.Builder structure = Structure.newBuilder().setText(it.text);
    Arrays.stream(it.numbers).forEach(structure::addNumbers);
    for (org.callbench.service.UserDetails each : it.users) {
      structure.addUsers(user(each));
    }
    for (org.callbench.service.TestStructureBean each : it.beans) {
      structure.addBeans(bean(each));
    }
    return structure.build();
  }

  private static UserDetails user(org.callbench.service.UserDetails it) {
    return UserDetails.newBuilder()
        .setUserName(it.userName)
        .setFullName(it.fullName)
        .setEmail(it.email)
        .setAge(it.age)
        .setActive(it.active)
        .setCreated(it.created)
        .build();
  }

  private static TestStructureBean bean(org.callbench.service.TestStructureBean it) {
    TestStructureBean.Builder bean =
        TestStructureBean.newBuilder()
            .setId(it.id)
            .setName(it.name)
            .setDescription(it.description)
            .setAmount(it.amount)
            .setFlag(it.flag);
    Arrays.stream(it.related).forEach(bean::addRelated);
    return bean.build();
  }

  static org.callbench.service.Structure structure(Structure it) {
    org.callbench.service.Structure structure = new org.callbench.service.Structure();
    structure.text = it.getText();
    structure.numbers = numbers(it.getNumbersList());
    structure.users =
        it.getUsersList().stream()
            .map(Records::user)
            .toArray(org.callbench.service.UserDetails[]::new);
    structure.beans =
        it.getBeansList().stream()
            .map(Records::bean)
            .toArray(org.callbench.service.TestStructureBean[]::new);
    return structure;
  }

  private static int[] numbers(List<Integer> those) {
    return those.stream().mapToInt(Integer::intValue).toArray();
  }

  private static org.callbench.service.UserDetails user(UserDetails it) {
    org.callbench.service.UserDetails user = new org.callbench.service.UserDetails();
    user.userName = it.getUserName();
    user.fullName = it.getFullName();
    user.email = it.getEmail();
    user.age = it.getAge();
    user.active = it.getActive();
    user.created = it.getCreated();
    return user;
  }

  private static org.callbench.service.TestStructureBean bean(TestStructureBean it) {
    org.callbench.service.TestStructureBean bean = new org.callbench.service.TestStructureBean();
    bean.id = it.getId();
    bean.name = it.getName();
    bean.description = it.getDescription();
    bean.amount = it.getAmount();
    bean.flag = it.getFlag();
    bean.related = numbers(it.getRelatedList());
    return bean;
  }
}
