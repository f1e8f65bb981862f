package org.callbench.jersey;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.lang.reflect.Parameter;
import java.util.Collections;
import java.util.Map;
import org.callbench.kit.Service;
import org.callbench.kit.Values;
import org.callbench.service.ServiceFault;
import org.callbench.service.SpeedService;

/** The service as a resource. */
@Path("rest")
@Consumes(MediaType.APPLICATION_JSON)
@Produces(MediaType.APPLICATION_JSON)
public final class Resource {
  private final Service service;

  Resource(Service service) {
    this.service = service;
  }

  /** Makes one call. */
  @POST
  @Path("{operation}")
  public Response call(@PathParam("operation") String name, Map<String, Object> members)
      throws Exception {
    Parameter[] parameters = Values.operation(SpeedService.class, name).getParameters();
    Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = members.get(parameters[i].getName());
    }
    try {
      Object answer = service.answer(name, arguments);
      return Response.ok(Collections.singletonMap("result", answer)).build();
    } catch (ServiceFault fault) {
      return Response.status(Response.Status.BAD_REQUEST)
          .entity(Map.of("error", fault.getMessage()))
          .build();
    }
  }
}
