/**
 * The JSON text of any entry, in any way that JSON has to write it. Most texts are valid entries. The others break a
 * rule of the format or are not JSON. A generator of its own is some twenty times as fast as one of fast-check.
 */
import { damaged } from './damage.ts';
import { Manner } from './manner.ts';
import type { Random } from './random.ts';
import { ENTRY, type Kind, type Member, type Shape } from './shapes.ts';
import { nested, ODD_VALUES, randomJson, randomUnknownName } from './unknown-members.ts';
import { randomValue } from './values.ts';

export function speltEntries(count: number, random: Random): string[] {
  return Array.from({ length: count }, () => speltEntry(random));
}

function speltEntry(random: Random): string {
  const manner = new Manner(random);
  const before = random.onceIn(8) ? ' '.repeat(random.below(41)) : manner.gap();
  const text = `${before}${anyObject(ENTRY, manner)}${manner.gap()}`;
  // A cut may have split a surrogate pair, which UTF-8 cannot carry.
  return (random.onceIn(30) ? damaged(text, random) : text).toWellFormed();
}

function anyValue(kind: Kind, manner: Manner): string {
  if (kind.is === 'list') return anyList(kind, manner);
  if (kind.is !== 'object') return randomValue(kind, manner);
  return manner.isOdd() ? manner.random.pick(ODD_VALUES) : anyObject(kind.shape, manner);
}

function anyList({ of, max }: Kind & { is: 'list' }, manner: Manner): string {
  const { random } = manner;
  if (manner.isOdd() && random.onceIn(4)) return random.pick(ODD_VALUES);
  // A list at its limit costs as much as hundreds of entries.
  if (random.onceIn(max > 100 ? 20_000 : 200)) return manyOf(of, random.between(max - 1, max + 1), random);
  const count = random.below(random.onceIn(30) ? 20 : 4);
  const elements = Array.from({ length: count }, () => manner.gap() + anyValue(of, manner) + manner.gap());
  return `[${elements.join(',') || manner.gap()}]`;
}

/** A list with one random element, again and again. */
function manyOf(of: Kind, count: number, random: Random): string {
  const element = anyValue(of, new Manner(random)).slice(0, 1_000);
  return `[${Array(count).fill(element).join(',')}]`;
}

function anyObject(shape: Shape, manner: Manner): string {
  const { random } = manner;
  const chosen = chooseMembers(shape, manner);
  const inOrder = random.onceIn(3) ? random.shuffled(chosen) : chosen;
  const members = inOrder.map(({ name, kind, isRequired }) => {
    const isNull = random.onceIn(40) && (!isRequired || manner.isOdd());
    const value = isNull ? 'null' : anyValue(kind, manner);
    return spelt(manner.name(name), value, manner);
  });
  if (random.onceIn(12)) insertTwice(members, shape, manner);
  if (random.onceIn(8)) insertUnknown(members, manner);
  return `{${members.join(',') || manner.gap()}}`;
}

function spelt(name: string, value: string, manner: Manner): string {
  return `${manner.gap()}${name}${manner.gap()}:${manner.gap()}${value}${manner.gap()}`;
}

function chooseMembers({ members, needsOneOf }: Shape, manner: Manner): Member[] {
  const { random } = manner;
  const isFull = random.onceIn(12);
  const chosen = members.filter((member) => {
    if (member.isRequired) return !(manner.isOdd() && random.onceIn(3));
    return isFull || random.onceIn(member.kind.is === 'object' ? 10 : 4);
  });
  const needed = needsOneOf !== undefined && !chosen.some(({ name }) => needsOneOf.includes(name));
  if (!needed || manner.isOdd()) return chosen;
  const one = random.pick(needsOneOf);
  return members.filter((member) => chosen.includes(member) || member.name === one);
}

/** Gives a member again, before or after the first time. The last one counts, so the entry may become invalid. */
function insertTwice(members: string[], shape: Shape, manner: Manner): void {
  const { random } = manner;
  const { name, kind, isRequired } = random.pick(shape.members);
  const isLast = !isRequired && random.onceIn(3);
  const value =
    !isLast && random.onceIn(2) ? randomJson(manner) : random.onceIn(4) ? 'null' : anyValue(kind, manner);
  members.splice(isLast ? members.length : 0, 0, spelt(manner.name(name), value, manner));
}

function insertUnknown(members: string[], manner: Manner): void {
  const { random } = manner;
  for (let count = random.between(1, 3); count > 0; count--) {
    const value = random.onceIn(200) ? nested(random.between(25, 70)) : randomJson(manner);
    const at = random.below(members.length + 1);
    members.splice(at, 0, spelt(manner.name(randomUnknownName(random)), value, manner));
  }
}
