import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Tarpit } from '../../../src/platform/http/tarpit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('an answer is held for half the delay to three halves of it, and its connection continues', async () => {
  using tarpit = new Tarpit();
  const response = newResponse();
  const held = tarpit.hold(response);
  await vi.advanceTimersByTimeAsync(499);
  expect(tarpit.waiting).toBe(1);
  await vi.advanceTimersByTimeAsync(1001);
  await held;
  expect(tarpit.waiting).toBe(0);
  expect(response.hasHeader('Connection')).toBe(false);
  expect(response.listenerCount('close')).toBe(0);
});

test('at the limit of waiting answers, the next is sent at once and its connection ends', async () => {
  using tarpit = new Tarpit({ maxWaiting: 1 });
  void tarpit.hold(newResponse());
  const response = newResponse();
  await tarpit.hold(response);
  expect(response.getHeader('Connection')).toBe('close');
  expect(tarpit.waiting).toBe(1);
});

test('a client that disconnects no longer waits', async () => {
  using tarpit = new Tarpit();
  const response = newResponse();
  const held = tarpit.hold(response);
  response.emit('close');
  await held;
  expect(tarpit.waiting).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test('when the server ends, all waiting clients are answered, and later ones do not wait', async () => {
  const tarpit = new Tarpit();
  const held = [tarpit.hold(newResponse()), tarpit.hold(newResponse())];
  tarpit[Symbol.dispose]();
  await Promise.all(held);
  await tarpit.hold(newResponse());
  expect(vi.getTimerCount()).toBe(0);
});
