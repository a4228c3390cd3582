/** What a ServiceMonitor of rendered manifests scrapes, as Prometheus' operator configures it. */
import type { Manifest } from '../packaging/render-manifests.ts';

export interface Scrapes {
  /** The labels of each target before relabeling. */
  readonly targets: readonly Readonly<Record<string, string>>[];
  /** `relabel_configs` in the words of Prometheus. */
  readonly relabelings: readonly Readonly<Record<string, unknown>>[];
}

export function scrapesOf(manifests: readonly Manifest[]): Scrapes {
  const { spec } = manifests.find(({ kind }) => kind === 'ServiceMonitor');
  const [endpoint] = spec.endpoints;
  const services = manifests.filter(
    ({ kind, metadata }) => kind === 'Service' && has(metadata.labels, spec.selector.matchLabels),
  );
  const targets = services.flatMap((service) => {
    const port = service.spec.ports.find(({ name }: Manifest) => name === endpoint.port);
    return manifests
      .map((manifest) => manifest.spec?.template)
      .filter((pod) => pod !== undefined && has(pod.metadata.labels, service.spec.selector))
      .filter((pod) => portNamesOf(pod).includes(port.targetPort))
      .map((pod) => labelsOf(pod, service.metadata.name));
  });
  const relabelings = (endpoint.relabelings ?? []).map((relabeling: object) =>
    Object.fromEntries(Object.entries(relabeling).map(([name, value]) => [snakeCase(name), value])),
  );
  return { targets, relabelings };
}

const has = (labels: Manifest, wanted: Manifest) =>
  Object.entries(wanted).every(([name, value]) => labels?.[name] === value);

const portNamesOf = (pod: Manifest): string[] =>
  pod.spec.containers.flatMap(({ ports = [] }: Manifest) => ports.map(({ name }: Manifest) => name));

/** The operator names the job after the Service before the relabelings of the endpoint. */
function labelsOf(pod: Manifest, job: string): Record<string, string> {
  const labels = Object.entries<string>(pod.metadata.labels).map(([name, value]) => [
    `__meta_kubernetes_pod_label_${name.replaceAll(/\W/g, '_')}`,
    value,
  ]);
  return { job, ...Object.fromEntries(labels) };
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
