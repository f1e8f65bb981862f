package org.callbench.grpc;

import java.util.List;
import org.callbench.kit.Check;
import org.callbench.proto.GetBinaryDataAnswer;
import org.callbench.proto.GetPersonsAnswer;
import org.callbench.proto.SearchResponse;
import org.callbench.proto.StringHolder;
import org.callbench.proto.Structure;
import org.callbench.proto.StructureHolder;

/**
 * The check of answers that are messages. A message within a list is compared completely, with
 * generated code.
 */
final class Answers extends Check {
  @Override
  public boolean same(Object right, Object answer, long k) {
    if (right instanceof GetPersonsAnswer one) {
      return answer instanceof GetPersonsAnswer other
          && same(one.getResultList(), other.getResultList(), k);
    } else if (right instanceof StringHolder one) {
      return answer instanceof StringHolder other
          && super.same(one.getValue(), other.getValue(), k);
    } else if (right instanceof GetBinaryDataAnswer one) {
      return answer instanceof GetBinaryDataAnswer other
          && Octets.bytes(one.getResult(), other.getResult(), k);
    } else if (right instanceof StructureHolder one) {
      return answer instanceof StructureHolder other
          && same(one.getStructure(), other.getStructure(), k);
    } else if (right instanceof SearchResponse one) {
      return answer instanceof SearchResponse other && same(one, other, k);
    }
    return right.equals(answer);
  }

  private static boolean same(Structure one, Structure other, long k) {
    return one.getText().equals(other.getText())
        && same(one.getNumbersList(), other.getNumbersList(), k)
        && same(one.getUsersList(), other.getUsersList(), k)
        && same(one.getBeansList(), other.getBeansList(), k);
  }

  private static boolean same(SearchResponse one, SearchResponse other, long k) {
    return one.getAck().equals(other.getAck())
        && one.getVersion().equals(other.getVersion())
        && one.getTimestamp().equals(other.getTimestamp())
        && one.getPaginationOutput().equals(other.getPaginationOutput())
        && one.getItemSearchUrl().equals(other.getItemSearchUrl())
        && same(one.getSearchResult().getItemList(), other.getSearchResult().getItemList(), k);
  }

  private static boolean same(List<?> one, List<?> other, long k) {
    int n = one.size();
    return other.size() == n
        && (n == 0
            || one.get(n - 1).equals(other.get(n - 1))
                && one.get((int) (k % n)).equals(other.get((int) (k % n))));
  }
}
