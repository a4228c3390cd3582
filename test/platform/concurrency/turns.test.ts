import { expect, test } from 'vitest';
import { Turns } from '../../../src/platform/concurrency/turns.ts';

/** Tasks that end on demand, by name. `begun` has the names in the order of their start. */
function tasksOf(turns: Turns) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const settled = new Map<string, Promise<unknown>>();
  return {
    begun,
    add(owner: string, name: string) {
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      const task = () => {
        begun.push(name);
        return end.promise;
      };
      const run = turns.run(owner, task);
      settled.set(
        name,
        run.catch(() => {}),
      );
      return run;
    },
    async end(name: string) {
      ends.get(name)!.resolve(name);
      await settled.get(name);
    },
    async fail(name: string, error: Error) {
      ends.get(name)!.reject(error);
      await settled.get(name);
    },
  };
}

test('as many tasks run at once as there are places', async () => {
  const { add, begun, end } = tasksOf(new Turns(2));
  for (const name of ['1', '2', '3', '4']) void add('a', name);
  expect(begun).toEqual(['1', '2']);
  await end('2');
  expect(begun).toEqual(['1', '2', '3']);
  await end('1');
  expect(begun).toEqual(['1', '2', '3', '4']);
});

test('waiting tasks take turns by owner, each owner in its own order', async () => {
  const { add, begun, end } = tasksOf(new Turns(1));
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void add('a', name);
  void add('b', 'b1');
  void add('c', 'c1');
  for (const name of ['a1', 'a2', 'b1']) await end(name);
  // b2 comes late, and waits for at most one task of each owner.
  void add('b', 'b2');
  for (const name of ['c1', 'a3', 'b2', 'a4']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4', 'a5']);
});

test('an owner has no more than its part of the places, and does not hold up others', async () => {
  const { add, begun, end } = tasksOf(new Turns(2, 1));
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) void add(name[0]!, name);
  expect(begun).toEqual(['a1', 'b1']);
  // The next owner of the line has its part already.
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('c1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
});

test('a failing task gives its place back, and its error to its caller', async () => {
  const { add, begun, fail, end } = tasksOf(new Turns(1));
  const problem = new Error('no');
  const failing = expect(add('a', '1')).rejects.toBe(problem);
  const next = add('a', '2');
  await fail('1', problem);
  await failing;
  await end('2');
  expect(await next).toBe('2');
  await expect(new Turns(1).run('a', () => Promise.reject(problem))).rejects.toBe(problem);
  void add('a', '3');
  expect(begun).toEqual(['1', '2', '3']);
});
