#!/usr/bin/env node
/** Starts the command line. Node keeps the compiled code of everything else for the next start; Node 20 compiles it anew. */
import module from 'node:module';
import { ownFolder } from './environment.ts';

try {
  // Not where Node would: in a folder for all users, one of them could put code of his own.
  module.enableCompileCache?.(ownFolder('cache'));
} catch {
  // A user without a home has no cache.
}
await import('./main.ts');
