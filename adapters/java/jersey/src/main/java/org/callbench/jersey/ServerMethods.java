package org.callbench.jersey;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.callbench.kit.Service;

/**
 * The method of a benchmark published in 2012, at the path of its Jersey server. It returns a text.
 */
@Path("TServerMethods1")
public final class ServerMethods {
  private final Service service;

  ServerMethods(Service service) {
    this.service = service;
  }

  /** Makes the call Hello. */
  @GET
  @Path("SampleTest")
  @Produces(MediaType.TEXT_PLAIN)
  public String sampleTest() throws Exception {
    return (String) service.answer("Hello");
  }
}
