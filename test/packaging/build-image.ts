/**
 * Builds a Dockerfile without Docker: each stage is a folder, and each step runs there as the file says it. The context has
 * only what .dockerignore lets in. The base image is this machine, with the Node of the tests.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { type Copy, DockerfileParser, type From, type Instruction } from 'dockerfile-ast';
import { PROJECT } from '../architecture/import-graph.ts';

export interface Image {
  /** The folder that stands for its working directory. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Stage {
  readonly root: string;
  cwd: string;
  readonly environment: Record<string, string>;
}

export const dockerfile = DockerfileParser.parse(readFileSync(join(PROJECT, 'Dockerfile'), 'utf8'));

/** Builds below `folder`, and returns the last stage. Throws with the output of a step that fails. */
export function buildImage(folder: string): Image {
  const context = join(folder, 'context');
  copyContext(context);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const step of dockerfile.getInstructions()) {
    if (step.getKeyword() === 'FROM') {
      const root = join(folder, `stage-${stages.size}`);
      stage = { root, cwd: root, environment: {} };
      stages.set((step as From).getBuildStage() ?? 'last', stage);
    } else if (stage !== undefined) {
      // Steps before the first stage concern the base image, so they are left out.
      take(step, stage, (name) => stages.get(name)?.root ?? context);
    }
  }
  return stage!;
}

function take(step: Instruction, stage: Stage, rootOf: (name: string) => string): void {
  const words = step.getArguments().map((argument) => argument.getValue());
  switch (step.getKeyword()) {
    case 'WORKDIR':
      stage.cwd = join(stage.root, words[0]!);
      mkdirSync(stage.cwd, { recursive: true });
      return;
    case 'ENV':
      for (const word of words) {
        const [name, value] = word.split('=');
        stage.environment[name!] = value!;
      }
      return;
    case 'COPY': {
      const from = (step as Copy).getFromFlag()?.getValue();
      const target = words.at(-1)!;
      for (const source of words.slice(0, -1)) {
        const name = target.endsWith('/') ? join(target, source) : target;
        cpSync(join(rootOf(from ?? ''), source), resolve(stage.cwd, name), { recursive: true });
      }
      return;
    }
    case 'RUN':
      // Behind options of the build, as for a cache.
      execFileSync('sh', ['-c', step.getArgumentsContent()!.replace(/^(--\S+\s+)+/, '')], {
        cwd: stage.cwd,
        // The step inherits the environment of this machine, to reach npm's registry.
        env: { ...process.env, NODE_ENV: '', ...environmentOf(stage) },
        stdio: 'pipe',
      });
      return;
    // The arguments of the last stage are for its labels.
    case 'ARG':
    case 'LABEL':
    case 'USER':
    case 'CMD':
    case 'HEALTHCHECK':
      return;
    default:
      throw new Error(`${step.getKeyword()} is a step that this build does not know`);
  }
}

/** Returns the environment of a process in the image. */
export function environmentOf({ environment }: Image): Record<string, string> {
  return { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), ...environment };
}

function copyContext(target: string): void {
  const ignored = dockerignore.default().add(readFileSync(join(PROJECT, '.dockerignore'), 'utf8'));
  const isIn = (path: string) => {
    const name = relative(PROJECT, path);
    return name === '' || !ignored.ignores(name);
  };
  cpSync(PROJECT, target, { recursive: true, filter: isIn });
}
