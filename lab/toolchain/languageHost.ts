import { spawn } from "node:child_process";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/language_grpc_pb";
import messages from "@pulumi/pulumi/proto/language_pb";
import plugin from "@pulumi/pulumi/proto/plugin_pb";
import empty from "google-protobuf/google/protobuf/empty_pb";

/**
 * The Node language host, as far as the lab's programs need one: the real one is no module that could be built, and the
 * last that was one stands between engine and program with a proxy that knows no hooks. A program of its own; it prints its
 * port, and runs programs with the SDK's own starter, which speaks to the engine itself.
 */

/** With this the SDK's starter ends where it has said already what was wrong. */
const saidAlready = 32;

const [engine = ""] = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));

type Call<Request> = { readonly request: Request };
type Done<Response> = grpc.sendUnaryData<Response>;

const optionsOf = (request: messages.RunRequest) => request.getInfo()?.getOptions()?.toJavaScript() ?? {};

/** The real one splits them as a shell does. */
function nodeArguments(request: messages.RunRequest): string[] {
  const { nodeargs } = optionsOf(request);
  return typeof nodeargs === "string" ? nodeargs.split(" ").filter((argument) => argument !== "") : [];
}

function argumentsOf(request: messages.RunRequest): string[] {
  const root = request.getInfo()?.getRootDirectory() || request.getPwd();
  const starter = join(root, "node_modules/@pulumi/pulumi/cmd/run/index.js");
  const flags = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    "root-directory": request.getInfo()?.getRootDirectory() ?? "",
    stack: request.getStack(),
    pwd: request.getPwd(),
    "query-mode": String(request.getQuerymode()),
    parallel: String(request.getParallel()),
  };
  const given = Object.entries(flags).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value]));
  const dry = request.getDryrun() ? ["--dry-run"] : [];
  return [...nodeArguments(request), starter, ...given, ...dry, request.getProgram() || ".", ...request.getArgsList()];
}

/** The configuration's keys as the SDK wants them, `namespace:config:name`; the secret ones' as they come. */
function environmentOf(request: messages.RunRequest): NodeJS.ProcessEnv {
  const config = Object.fromEntries(
    request
      .getConfigMap()
      .toArray()
      .map(([key, value]) => [key.replace(":", ":config:"), value]),
  );
  const options = optionsOf(request);
  return {
    ...process.env,
    PULUMI_CONFIG: JSON.stringify(config),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    ...(options.typescript === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: "true" }),
  };
}

function run({ request }: Call<messages.RunRequest>, done: Done<messages.RunResponse>): void {
  const response = new messages.RunResponse();
  const child = spawn("node", argumentsOf(request), {
    env: environmentOf(request),
    stdio: ["ignore", "inherit", "inherit"],
  });
  child.once("error", (error) => {
    response.setError(`the program could not be started: ${error.message}`);
    done(null, response);
  });
  child.once("exit", (code, signal) => {
    if (code === saidAlready) response.setBail(true);
    else if (code !== 0) response.setError(`Program exited with non-zero exit code: ${code ?? signal}`);
    done(null, response);
  });
}

const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
// What is missing here is answered as not implemented, which the engine knows how to go on without.
const answers = {
  handshake: (_: unknown, done: Done<messages.LanguageHandshakeResponse>) =>
    done(null, new messages.LanguageHandshakeResponse()),
  getRequiredPlugins: (_: unknown, done: Done<messages.GetRequiredPluginsResponse>) =>
    done(null, new messages.GetRequiredPluginsResponse()),
  getRequiredPackages: (_: unknown, done: Done<messages.GetRequiredPackagesResponse>) =>
    done(null, new messages.GetRequiredPackagesResponse()),
  getPluginInfo: (_: unknown, done: Done<plugin.PluginInfo>) => done(null, new plugin.PluginInfo()),
  cancel: (_: unknown, done: Done<empty.Empty>) => done(null, new empty.Empty()),
  run,
};
server.addService(
  services.LanguageRuntimeService as unknown as grpc.ServiceDefinition,
  answers as unknown as grpc.UntypedServiceImplementation,
);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
