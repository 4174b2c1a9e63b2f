import type { RequestListener } from "node:http";
import { json } from "node:stream/consumers";
import type { MachineOrder, MachineRoom } from "../../../lab/clouds/machineRoom";
import { serveClouds } from "../../../lab/clouds/serve";

/** A cloud in its own process that only takes orders. */
function tinyCloud(room: MachineRoom): RequestListener {
  let requests = 0;
  return async (request, response) => {
    if (request.method === "GET") return void response.end(JSON.stringify({ requests }));
    requests += 1;
    response.end(JSON.stringify(await room.order((await json(request)) as MachineOrder)));
  };
}

void serveClouds(process.argv[2] ?? "", { hetzner: tinyCloud });
