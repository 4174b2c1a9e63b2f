import type { HostProvider } from "../../core/config/hostSchema";

export interface InitFlags {
  readonly pillar?: string;
  readonly provider?: HostProvider;
  readonly adopt?: boolean;
  readonly address?: string;
  readonly hostKey?: string;
  readonly fingerprint?: string;
  readonly acceptHostKey?: boolean;
  readonly sshFrom?: readonly string[];
  readonly user?: string;
  readonly port?: string;
  readonly keyFile?: string;
  readonly agent?: boolean;
  readonly password?: boolean;
  readonly tokenFile?: string;
  readonly oldHost?: string;
  readonly oldHostKey?: string;
  readonly oldFingerprint?: string;
  readonly reference?: readonly string[];
  readonly release?: string;
  readonly releaseSha256?: string;
}

/** Lists the flags of missing answers, for use without a terminal. */
export function listMissingAnswers(stack: string | undefined, flags: InitFlags, hasPassphrase: boolean): string[] {
  const { pillar, provider, adopt, address, hostKey, fingerprint, acceptHostKey, sshFrom, keyFile, agent, password } =
    flags;
  const isCloud = !adopt && provider !== undefined && provider !== "existing";
  const { oldHost, oldHostKey, oldFingerprint, reference } = flags;
  const isExisting = adopt || provider === "existing";
  const lines: (readonly [isGiven: boolean, line: string])[] = [
    [stack !== undefined, "STACK, such as prod-2"],
    [pillar !== undefined, "--pillar NAME, as registered on chain"],
    [isCloud || isExisting, "--provider existing, hetzner or digitalocean; or --adopt, for the Pillar's present host"],
    [!isExisting || address !== undefined, "--address ADDRESS of the server"],
    [
      !isExisting || (hostKey ?? fingerprint) !== undefined || acceptHostKey === true,
      "--fingerprint SHA256:… of the host key, from the host's console; or --host-key LINE; or --accept-host-key, without a comparison",
    ],
    [!isCloud || (sshFrom ?? []).length > 0, "--ssh-from NETWORK that may connect to ssh, such as 192.0.2.1/32"],
    [
      adopt === true || oldHost !== undefined || reference !== undefined,
      "--old-host ADDRESS of the Pillar's present host, or --reference URL of an independent node's RPC: witnesses of the chain",
    ],
    [
      oldHost === undefined || (oldHostKey ?? oldFingerprint) !== undefined || acceptHostKey === true,
      "--old-fingerprint SHA256:… of the old host's key; or --old-host-key LINE; or --accept-host-key, without a comparison",
    ],
    [
      keyFile !== undefined || ((agent || password) === true && !isCloud),
      `--key-file FILE${isCloud ? "" : ", --agent or --password"}: the login`,
    ],
    [
      hasPassphrase,
      "PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE in the environment: the pass phrase protects the secrets",
    ],
  ];
  return lines.flatMap(([isGiven, line]) => (isGiven ? [] : [line]));
}
