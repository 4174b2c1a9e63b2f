import { type ChildProcess, spawn } from "node:child_process";
import readline from "node:readline";
import * as grpc from "@grpc/grpc-js";
import engineServices from "@pulumi/pulumi/proto/engine_grpc_pb";
import type engineMessages from "@pulumi/pulumi/proto/engine_pb";
import services from "@pulumi/pulumi/proto/provider_grpc_pb";
import messages from "@pulumi/pulumi/proto/provider_pb";
import empty from "google-protobuf/google/protobuf/empty_pb";
import struct from "google-protobuf/google/protobuf/struct_pb";

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** How the protocol writes an output that is not known in a preview. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Property values as they go over the wire. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };
/** The properties of a resource. */
export type Properties = Record<string, Value>;

/** Marks a value as secret, as the engine does. */
export const secret = (value: Value): Value => ({ [SIGNATURE]: SECRET, value });

/** Whether a value is marked secret as a whole. */
export const isSecret = (value: Value | undefined): boolean => secretContent(value) !== undefined;

/** The value with every secret in it replaced: what a state file or a display would show. */
export function redacted(value: Value): Value {
  if (isSecret(value)) return "[secret]";
  if (Array.isArray(value)) return value.map(redacted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner)]));
}

function secretContent(value: Value | undefined): Value | undefined {
  if (!value || typeof value !== "object" || Array.isArray(value)) return undefined;
  const properties = value as Properties;
  return properties[SIGNATURE] === SECRET ? properties.value : undefined;
}

/** A difference as the engine acts on it. */
export interface Diff {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** A plugin process, spoken to as the engine does. */
export class Provider {
  /** What the plugin sent to the engine's log, in order. */
  readonly log: { severity: string; message: string; live: boolean }[] = [];
  /** All that it printed by itself, answered or refused with, secrets redacted: the place to search for leaks. */
  readonly said: string[] = [];

  private constructor(
    private readonly plugin: ChildProcess,
    private readonly engine: grpc.Server,
    private readonly client: services.ResourceProviderClient,
  ) {}

  /** Starts the plugin with an engine to log to; `stop` ends both. */
  static async start(executable: string, env: NodeJS.ProcessEnv = process.env): Promise<Provider> {
    const engine = new grpc.Server();
    const log: Provider["log"] = [];
    engine.addService(engineServices.EngineService as unknown as grpc.ServiceDefinition, {
      log: (call: { request: engineMessages.LogRequest }, done: grpc.sendUnaryData<empty.Empty>) => {
        const severities = ["debug", "info", "warning", "error"];
        const severity = severities[call.request.getSeverity()] ?? "?";
        log.push({ severity, message: call.request.getMessage(), live: call.request.getEphemeral() });
        done(null, new empty.Empty());
      },
    });
    const enginePort = await new Promise<number>((resolve, reject) =>
      engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    const plugin = spawn(executable, [`127.0.0.1:${enginePort}`], { env, stdio: ["ignore", "pipe", "pipe"] });
    const said: string[] = [];
    plugin.stderr.on("data", (data) => said.push(String(data)));
    const lines = readline.createInterface({ input: plugin.stdout });
    const port = await new Promise<string>((resolve, reject) => {
      lines.once("line", resolve);
      plugin.once("error", reject);
      plugin.once("exit", (code) => reject(new Error(`the plugin ended with ${code}: ${said.join("")}`)));
    });
    lines.on("line", (line) => said.push(line));
    const client = new services.ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const provider = new Provider(plugin, engine, client);
    Object.assign(provider, { log, said });
    await provider.configure();
    return provider;
  }

  /** Ends the plugin as the engine does at the end of a run. */
  async stop(): Promise<void> {
    this.client.close();
    const gone = new Promise((resolve) => this.plugin.once("exit", resolve));
    if (this.plugin.exitCode === null && this.plugin.signalCode === null) {
      this.plugin.kill("SIGKILL");
      await gone;
    }
    this.engine.forceShutdown();
  }

  /** Lines of the live log. */
  live(): string[] {
    return this.log.filter((entry) => entry.live).map((entry) => entry.message);
  }

  async schema(): Promise<{ resources: Record<string, { inputProperties: Record<string, Properties> }> }> {
    const answer = await this.call<messages.GetSchemaResponse>((done) =>
      this.client.getSchema(new messages.GetSchemaRequest(), done),
    );
    return JSON.parse(answer.getSchema());
  }

  /** Check: the inputs with defaults filled in, or the failures. */
  async check(type: string, inputs: Properties): Promise<{ inputs: Properties; failures: string[] }> {
    const request = new messages.CheckRequest();
    request.setUrn(urn(type));
    request.setNews(toStruct(inputs));
    request.setOlds(toStruct({}));
    const answer = await this.call<messages.CheckResponse>((done) => this.client.check(request, done));
    const failures = answer.getFailuresList().map((failure) => `${failure.getProperty()}: ${failure.getReason()}`);
    return { inputs: this.heard(answer.getInputs()), failures };
  }

  /** Check, then Create, as the engine does. */
  async create(type: string, given: Properties, preview = false): Promise<{ id: string; outputs: Properties }> {
    const { inputs, failures } = await this.check(type, given);
    if (failures.length > 0) throw new Error(failures.join("\n"));
    const request = new messages.CreateRequest();
    request.setUrn(urn(type));
    request.setProperties(toStruct(inputs));
    request.setPreview(preview);
    const answer = await this.call<messages.CreateResponse>((done) => this.client.create(request, done));
    return { id: answer.getId(), outputs: this.heard(answer.getProperties()) };
  }

  /** Check, then Update from `olds`, as the engine does. */
  async update(type: string, olds: Properties, given: Properties, preview = false): Promise<Properties> {
    const { inputs } = await this.check(type, given);
    const request = new messages.UpdateRequest();
    request.setId("some-id");
    request.setUrn(urn(type));
    request.setOlds(toStruct(olds));
    request.setNews(toStruct(inputs));
    request.setPreview(preview);
    const answer = await this.call<messages.UpdateResponse>((done) => this.client.update(request, done));
    return this.heard(answer.getProperties());
  }

  /** Check, then Diff from the state `olds` that came of the inputs `before`. */
  async diff(type: string, before: Properties, olds: Properties, given: Properties): Promise<Diff> {
    const { inputs } = await this.check(type, given);
    const request = new messages.DiffRequest();
    request.setId("some-id");
    request.setUrn(urn(type));
    request.setOlds(toStruct(olds));
    request.setOldInputs(toStruct((await this.check(type, before)).inputs));
    request.setNews(toStruct(inputs));
    const answer = await this.call<messages.DiffResponse>((done) => this.client.diff(request, done));
    return {
      changes: answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
      replaces: answer.getReplacesList(),
      deleteBeforeReplace: answer.getDeletebeforereplace(),
    };
  }

  async delete(type: string, outputs: Properties): Promise<void> {
    const request = new messages.DeleteRequest();
    request.setId("some-id");
    request.setUrn(urn(type));
    request.setProperties(toStruct(outputs));
    await this.call<empty.Empty>((done) => this.client.delete(request, done));
  }

  private async configure(): Promise<void> {
    const request = new messages.ConfigureRequest();
    request.setAcceptsecrets(true);
    request.setAcceptresources(true);
    request.setSendsOldInputs(true);
    request.setArgs(toStruct({}));
    await this.call<messages.ConfigureResponse>((done) => this.client.configure(request, done));
  }

  private async call<T>(send: (done: (error: grpc.ServiceError | null, answer: T) => void) => void): Promise<T> {
    try {
      return await new Promise<T>((resolve, reject) =>
        send((error, answer) => (error ? reject(error) : resolve(answer))),
      );
    } catch (error) {
      this.said.push(JSON.stringify(error), String(error));
      throw error;
    }
  }

  private heard(properties: struct.Struct | undefined): Properties {
    const heard = (properties?.toJavaScript() ?? {}) as Properties;
    this.said.push(JSON.stringify(redacted(heard)));
    return heard;
  }
}

function toStruct(properties: Properties): struct.Struct {
  return struct.Struct.fromJavaScript(properties as Parameters<typeof struct.Struct.fromJavaScript>[0]);
}

function urn(type: string): string {
  return `urn:pulumi:test::test::${type}::under-test`;
}
