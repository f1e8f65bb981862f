package org.callbench.jersey;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.callbench.service.SpeedService;

/** The method of a published benchmark of 2012, at the path that its Jersey server had: a text. */
@Path("TServerMethods1")
public final class ServerMethods {
  private final SpeedService service;

  ServerMethods(SpeedService service) {
    this.service = service;
  }

  /** Makes the call Hello. */
  @GET
  @Path("SampleTest")
  @Produces(MediaType.TEXT_PLAIN)
  public String sampleTest() throws Exception {
    return service.Hello();
  }
}
