/** Renders a folder, as seen from deploy/kubernetes, by the kustomize of `kubectl`. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { PROJECT } from '../architecture/import-graph.ts';

// biome-ignore lint/suspicious/noExplicitAny: what it must be is what the tests find out.
export type Manifest = any;

export const KUBERNETES = join(PROJECT, 'deploy/kubernetes');

/** What was rendered, by its folder. Each run of `kubectl` takes a while. */
const rendered = new Map<string, string>();

export function renderManifests(folder: string): Manifest[] {
  const yaml =
    rendered.get(folder) ??
    execFileSync('kubectl', ['kustomize', join(KUBERNETES, folder)], { encoding: 'utf8' });
  rendered.set(folder, yaml);
  return parseAllDocuments(yaml).map((document) => document.toJS());
}
