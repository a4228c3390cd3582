/**
 * What `kubectl kustomize` renders of deploy/kubernetes: Kubernetes 1.27 and 1.33 take it (with every version between them), the
 * restricted profile does, and each process gets the settings that it needs, and no secret that it does not.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { settingSchemas } from '../../src/core/config/settings.ts';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { graceMs, SETTINGS, settingsOf } from './programs-settings.ts';

const FOLDER = join(PROJECT, 'deploy/kubernetes');
const RENDERED = ['overlays/small', 'overlays/large', 'migrate', '../../test/packaging/operated'];

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

// biome-ignore lint/suspicious/noExplicitAny: what it must be is what the tests find out.
type Manifest = any;

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly optional?: boolean } };
}

function render(folder: string): Manifest[] {
  const yaml = execFileSync('kubectl', ['kustomize', join(FOLDER, folder)], { encoding: 'utf8' });
  return parseAllDocuments(yaml).map((document) => document.toJS());
}

const kindOf = ({ apiVersion, kind }: Manifest) => `${apiVersion} ${kind}`;
const moduleOf = (manifest: Manifest, version: string) =>
  MODULES[kindOf(manifest)]!.replace('VERSION', version);

describe.for(RENDERED)('%s', needs('kubectl'), (folder) => {
  let manifests: Manifest[] = [];
  let pods: Manifest[] = [];
  beforeAll(() => {
    manifests = render(folder);
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

  test.for(['1.27', '1.33'])('has no member that Kubernetes %s does not know', async (version) => {
    // The schemas let unknown members pass, and the types do not.
    const file = join(await createTemporaryFolder(), 'manifests.ts');
    const imports = manifests.map(
      (manifest, i) =>
        `import type { I${manifest.kind} as K${i} } from '${importable(moduleOf(manifest, version))}';`,
    );
    const values = manifests.map((manifest, i) => `export const m${i}: K${i} = ${JSON.stringify(manifest)};`);
    writeFileSync(file, [...imports, ...values].join('\n'));
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
    execFileSync(join(PROJECT, 'node_modules/.bin/tsc'), [...options, file], { encoding: 'utf8' });
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
      const required = read.filter((name) => REQUIRED.has(name) && !isOptional(command.at(-1)!, name));
      const missing = required.filter((name) => !given.some((each) => each.name === name));
      expect(missing).toEqual([]);
    }
  });
});

/** The API serves HTTPS only if it is asked to. */
const isOptional = (program: string, name: string) =>
  program === 'src/api-server.ts' && name === 'CERTIFICATE_KEYS';

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
    const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
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

const importable = (module: string) => join(PROJECT, 'node_modules', `${module}.js`);

test('a process has more time to end than it takes', needs('kubectl'), () => {
  const seconds = new Map<string, number>();
  for (const { kind, metadata, spec } of render('overlays/large')) {
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
    const manifests = render('overlays/large');
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
  const commands = [...render('overlays/small'), ...render('migrate')]
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template.spec.containers[0].command as string[]);
  for (const command of commands)
    expect(compose).toContain(`command: ${JSON.stringify(command).replaceAll(',', ', ')}`);
});
