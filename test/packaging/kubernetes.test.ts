/**
 * What `kubectl kustomize` renders of deploy/kubernetes: Kubernetes 1.27 and 1.33 take it (with every version between them), as do
 * the types of 1.29 and 1.30, and the restricted profile does. Each process gets the settings that it needs, and no secret that it
 * does not. The ports of the API are open to those that they are for.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { settingSchemas } from '../../src/core/config/settings.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { graceMs, SETTINGS, settingsOf } from './programs-settings.ts';
import { KUBERNETES, type Manifest, renderManifests } from './render-manifests.ts';

const OPERATED = '../../test/packaging/operated';
const SECURED = '../../test/packaging/secured';
const OPERATED_AND_SECURED = '../../test/packaging/operated-and-secured';
const OF_IPV6 = '../../test/packaging/of-ipv6';
const BEHIND_A_BALANCER = '../../test/packaging/behind-a-balancer';
const RENDERED = [
  ...['overlays/small', 'overlays/large', 'migrate'],
  ...[OPERATED, SECURED, OPERATED_AND_SECURED, OF_IPV6, BEHIND_A_BALANCER],
];

/** `kubernetes-types` has types alone, and no later version. */
const EXACT_TYPES = ['1.29', '1.30'];
const VERSIONS_OF_TYPES = ['1.27', ...EXACT_TYPES, '1.33'];

/** The modules of `kubernetes-models` by apiVersion and kind; `VERSION` stands for the version of Kubernetes. */
const MODULES: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'kubernetes-models-VERSION/apps/v1/Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler':
    'kubernetes-models-VERSION/autoscaling/v2/HorizontalPodAutoscaler',
  'batch/v1 Job': 'kubernetes-models-VERSION/batch/v1/Job',
  'monitoring.coreos.com/v1 ServiceMonitor':
    '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor',
  'networking.k8s.io/v1 NetworkPolicy': 'kubernetes-models-VERSION/networking.k8s.io/v1/NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'kubernetes-models-VERSION/policy/v1/PodDisruptionBudget',
  'v1 ConfigMap': 'kubernetes-models-VERSION/v1/ConfigMap',
  'v1 Namespace': 'kubernetes-models-VERSION/v1/Namespace',
  'v1 Service': 'kubernetes-models-VERSION/v1/Service',
  'v1 ServiceAccount': 'kubernetes-models-VERSION/v1/ServiceAccount',
};

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly optional?: boolean } };
}

/** The modules of `kubernetes-types` by apiVersion, where theirs has another name. */
const TYPES: Readonly<Record<string, string>> = {
  'networking.k8s.io/v1': 'networking/v1',
  v1: 'core/v1',
};

const kindOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
const moduleOf = (manifest: Manifest, version: string) =>
  MODULES[kindOf(manifest)]!.replace('VERSION', version);

/** The type of a manifest: of `kubernetes-types` if it has this version, and of no resource of others. */
function typeOf(manifest: Manifest, version: string): { module: string; name: string } {
  const { apiVersion, kind } = manifest;
  if (!EXACT_TYPES.includes(version) || apiVersion.startsWith('monitoring.'))
    return { module: moduleOf(manifest, version), name: `I${kind}` };
  return { module: `kubernetes-types-${version}/${TYPES[apiVersion] ?? apiVersion}`, name: kind };
}

const folderOfTypes = await createTemporaryFolder();
let compilation:
  | { readonly said: readonly string[]; file(folder: string, version: string): string }
  | undefined;

/** Holds all manifests against the types of all versions. One run of the compiler reads all types once. */
function compiled() {
  if (compilation !== undefined) return compilation;
  const file = (folder: string, version: string) => `${RENDERED.indexOf(folder)}-${version}.ts`;
  const files = RENDERED.flatMap((folder) =>
    VERSIONS_OF_TYPES.map((version) => {
      writeFileSync(join(folderOfTypes, file(folder, version)), typed(renderManifests(folder), version));
      return file(folder, version);
    }),
  );
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--ignoreConfig',
    '--types',
    '',
  ];
  const tsc = join(PROJECT, 'node_modules/.bin/tsc');
  const { status, stdout } = spawnSync(tsc, [...options, ...files], { cwd: folderOfTypes, encoding: 'utf8' });
  const said = stdout.split('\n');
  // Each fault is in one of the files.
  const isOfFile = (line: string) => files.some((name) => line.startsWith(`${name}(`));
  expect(said.filter((line) => line.includes(': error ') && !isOfFile(line))).toEqual([]);
  expect(status === 0 || said.some(isOfFile)).toBe(true);
  compilation = { said, file };
  return compilation;
}

/** A module in which each manifest has the type of its kind. */
function typed(manifests: readonly Manifest[], version: string): string {
  const imports = manifests.map((manifest, i) => {
    const { module, name } = typeOf(manifest, version);
    return `import type { ${name} as K${i} } from '${importable(module)}';`;
  });
  const values = manifests.map((manifest, i) => `export const m${i}: K${i} = ${JSON.stringify(manifest)};`);
  return [...imports, ...values].join('\n');
}

describe.for(RENDERED)('%s', needs('kubectl'), (folder) => {
  let manifests: Manifest[] = [];
  let pods: Manifest[] = [];
  beforeAll(() => {
    manifests = renderManifests(folder);
    pods = manifests
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map(({ spec }) => spec.template.spec);
  });

  test.for(['1.27', '1.33'])('fits the schemas of Kubernetes %s', async (version) => {
    expect(manifests.map(kindOf).filter((kind) => !(kind in MODULES))).toEqual([]);
    for (const manifest of manifests) {
      const module = await import(moduleOf(manifest, version));
      // Throws what is wrong.
      new module[manifest.kind](manifest).validate();
    }
  });

  test.for(VERSIONS_OF_TYPES)('has no member that Kubernetes %s does not know', (version) => {
    // The schemas let unknown members pass, and the types do not.
    const { said, file } = compiled();
    expect(said.filter((line) => line.startsWith(`${file(folder, version)}(`))).toEqual([]);
  });

  test('fits the restricted profile of the Pod Security Standards, and gets no token', () => {
    expect(pods.length).toBeGreaterThan(0);
    for (const pod of pods) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        volumes: [{ name: 'tmp', emptyDir: {} }],
      });
      expect(
        ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers'].filter((member) => member in pod),
      ).toEqual([]);
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
      }
    }
  });

  test('gives each process what it requires, by names that are settings, and no secret of another one', () => {
    const shared = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
    expect(Object.keys(shared).filter((name) => !SETTINGS.some((known) => known === name))).toEqual([]);
    for (const pod of pods) {
      const [{ command, env }] = pod.containers as [{ command: string[]; env: Variable[] }];
      const read = settingsOf(command.at(-1)!);
      const names = env.map(({ name }) => name).filter((name) => !read.some((known) => known === name));
      expect(names.filter((name) => name !== 'BIND_ADDRESS')).toEqual([]);
      const given = env.filter(({ valueFrom }) => valueFrom?.secretKeyRef.optional !== true);
      const required = read.filter((name) => REQUIRED.has(name) && !isOptional(name, env, command.at(-1)!));
      const missing = required.filter((name) => !given.some((each) => each.name === name));
      expect(missing).toEqual([]);
    }
  });
});

/** The API serves HTTPS only if it is asked to. */
const isOptional = (name: string, env: readonly Variable[], program: string) =>
  program === 'src/api-server.ts' &&
  name === 'CERTIFICATE_KEYS' &&
  !env.some((each) => each.name === 'API_TLS_PORT');

/** Secrets without which a program that reads them does not start. */
const REQUIRED: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
  'CNAME_SECRET',
  'CERTIFICATE_KEYS',
]);

test(
  'the secret that the README makes has what is required, as the programs read it',
  needs('openssl'),
  () => {
    const readme = readFileSync(join(KUBERNETES, 'README.md'), 'utf8');
    const [, block = ''] = /```sh\n((?:(?!```)[\s\S])*create secret[\s\S]*?)```/.exec(readme) ?? [];
    // A kubectl that prints what it is given.
    const script = `set -e; kubectl() { printf '%s\\n' "$@"; }\n${block}`;
    const args = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n');
    const values = args.flatMap((arg) => {
      const [, name, value] = /^--from-literal=(\w+)=(.*)$/.exec(arg) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    });
    expect(new Set(values.map(([name]) => name))).toEqual(REQUIRED);
    for (const [name, value] of values) {
      const { error } = settingSchemas[name as keyof typeof settingSchemas].safeParse(value);
      expect(error, name).toBeUndefined();
    }
  },
);

test(
  'behind a balancer, no probe sends a request to a port that expects a PROXY header',
  needs('kubectl'),
  () => {
    const hosting = renderManifests(BEHIND_A_BALANCER).find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'waypost-hosting',
    );
    const [{ env, startupProbe, readinessProbe, livenessProbe }] = hosting.spec.template.spec.containers;
    expect(env).toContainEqual({ name: 'HOSTING_PROXY_PROTOCOL', value: 'true' });
    const probes = [startupProbe, readinessProbe, livenessProbe];
    expect(probes.map(({ httpGet, tcpSocket }) => [httpGet?.port, tcpSocket?.port])).toEqual([
      ['metrics', undefined],
      [undefined, 'http'],
      ['metrics', undefined],
    ]);
  },
);

test('in a cluster of IPv6 alone, no process listens on IPv4 only', needs('kubectl'), () => {
  const addressesOf = (folder: string) =>
    renderManifests(folder)
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ spec }): Variable[] => spec.template.spec.containers[0].env)
      .filter(({ name }) => name.endsWith('_ADDRESS'))
      .map(({ value }) => value);
  const addresses = addressesOf(OF_IPV6);
  expect(addresses).toHaveLength(addressesOf(OPERATED).length);
  expect(new Set(addresses)).toEqual(new Set(['::']));
});

const importable = (module: string) => join(PROJECT, 'node_modules', `${module}.js`);

/** The ports of the container of the API, by the settings that name them. */
function portsOfApi(manifests: readonly Manifest[]): Record<string, number> {
  const api = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'waypost-api',
  );
  const variables: Variable[] = api.spec.template.spec.containers[0].env;
  const ports = variables.filter(({ name }) => name.endsWith('_PORT'));
  return Object.fromEntries(ports.map(({ name, value }) => [name, Number(value)]));
}

test.for([SECURED, OPERATED_AND_SECURED])(
  '%s leads the ports 80 and 443 of the world to those of the API',
  needs('kubectl'),
  (folder) => {
    const manifests = renderManifests(folder);
    const { API_PORT, API_TLS_PORT } = portsOfApi(manifests);
    const named = (wanted: string) => (manifest: Manifest) =>
      manifest.kind === wanted && manifest.metadata.name === 'waypost-api';
    const container = manifests.find(named('Deployment')).spec.template.spec.containers[0];
    const { type, ports } = manifests.find(named('Service')).spec;
    const leads = ports.map(({ port, targetPort }: Manifest) => [
      port,
      container.ports.find(({ name }: Manifest) => name === targetPort)?.containerPort,
    ]);
    expect({ type, ports: Object.fromEntries(leads) }).toEqual({
      type: 'LoadBalancer',
      ports: { 80: API_PORT, 443: API_TLS_PORT },
    });
    expect(API_TLS_PORT).toBeGreaterThan(1024);
  },
);

test.for([OPERATED, OPERATED_AND_SECURED])(
  '%s opens the port of operators to pods with their label, and every other port of the API to all',
  needs('kubectl'),
  (folder) => {
    const manifests = renderManifests(folder);
    const { OPERATOR_PORT, ...others } = portsOfApi(manifests);
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    const rules: Manifest[] = policies.flatMap(({ spec }) => spec.ingress);
    const portsOf = (isChosen: (rule: Manifest) => boolean) =>
      rules.filter(isChosen).flatMap(({ ports }) => ports.map(({ port }: Manifest) => port));
    expect(portsOf(({ from }) => from === undefined)).toEqual(expect.arrayContaining(Object.values(others)));
    expect(portsOf(({ from }) => from === undefined)).not.toContain(OPERATOR_PORT);
    const operators = [{ podSelector: { matchLabels: { 'waypost.io/operator': 'true' } } }];
    expect(rules.filter(({ from }) => from !== undefined).map(({ from }) => from)).toEqual([operators]);
    expect(portsOf(({ from }) => from !== undefined)).toEqual([OPERATOR_PORT]);
  },
);

test('a process has more time to end than it takes', needs('kubectl'), () => {
  const seconds = new Map<string, number>();
  for (const { kind, metadata, spec } of renderManifests('overlays/large')) {
    if (kind === 'Deployment') seconds.set(metadata.name, spec.template.spec.terminationGracePeriodSeconds);
  }
  const PRE_STOP_MS = 5000;
  // The API answers the uploads that did not end in time.
  const apiMs = PRE_STOP_MS + graceMs('API_GRACE_MS', 'IDLE_GRACE_MS') + 10_000;
  const hostingMs = PRE_STOP_MS + graceMs('HOSTING_GRACE_MS', 'IDLE_GRACE_MS') + 1500;
  expect(seconds.get('waypost-api')! * 1000).toBeGreaterThan(apiMs);
  expect(seconds.get('waypost-hosting')! * 1000).toBeGreaterThan(hostingMs);
});

test(
  'the autoscalers set the number of the processes that they scale, and nothing else does',
  needs('kubectl'),
  () => {
    const manifests = renderManifests('overlays/large');
    const scaled = manifests
      .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
      .map(({ spec }) => spec.scaleTargetRef.name);
    const fixed = manifests.filter(({ kind, spec }) => kind === 'Deployment' && spec.replicas !== undefined);
    expect(scaled.sort()).toEqual(['waypost-api', 'waypost-hosting']);
    expect(fixed.map(({ metadata }) => metadata.name)).toEqual(['waypost-jobs']);
  },
);

test('the programs run as docker-compose.yml runs them', needs('kubectl'), () => {
  const compose = readFileSync(join(PROJECT, 'docker-compose.yml'), 'utf8');
  const commands = [...renderManifests('overlays/small'), ...renderManifests('migrate')]
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template.spec.containers[0].command as string[]);
  for (const command of commands)
    expect(compose).toContain(`command: ${JSON.stringify(command).replaceAll(',', ', ')}`);
});
