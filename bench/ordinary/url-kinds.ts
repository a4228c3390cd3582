/** Plain entries with another `loc`: its spelling in JSON, its characters, its host. */
import { generatedEntry } from '../../tools/generated-upload.ts';
import { CORE_COUNT, type EntryKind, RATIO_GOAL } from './entry-kind.ts';
import { asciiJson, dotNetJson, phpJson } from './spellings.ts';

/** The entry `i` with another `loc`. */
function entryAt(i: number, loc: string) {
  return { ...generatedEntry(i), loc };
}

const accented = (i: number) => {
  return entryAt(i, `https://www.example.com/catalogue/catégorie-${i % 997}/vélo-${i}.html`);
};

export const URL_KINDS: readonly EntryKind[] = [
  {
    name: String.raw`slashes as \/`,
    writtenBy: "PHP's json_encode",
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => phpJson(generatedEntry(i)),
  },
  {
    name: String.raw`é in the path, as \u00e9`,
    writtenBy: "Python's json.dumps",
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => asciiJson(accented(i)),
  },
  {
    name: 'é in the path, as UTF-8',
    writtenBy: 'JavaScript, Go, Ruby',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => JSON.stringify(accented(i)),
  },
  {
    name: 'a blank in the path',
    writtenBy: 'programs that list files or search terms',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      return JSON.stringify(
        entryAt(i, `https://www.example.com/catalogue/category ${i % 997}/item-${i}.html`),
      );
    },
  },
  {
    name: 'a Cyrillic path, as UTF-8',
    writtenBy: 'shops and wikis with Cyrillic slugs',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      return JSON.stringify(
        entryAt(i, `https://www.example.com/каталог/категория-${i % 997}/товар-${i}.html`),
      );
    },
  },
  {
    name: String.raw`\u0026 and %c3%bc in the query, a fragment`,
    writtenBy: ".NET's System.Text.Json and HttpUtility",
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const query = `category=${i % 997}&colour=gr%c3%bcn&item=${i}`;
      return dotNetJson(entryAt(i, `https://www.example.com/catalogue.aspx?${query}#reviews`));
    },
  },
  {
    name: 'an international host, as UTF-8',
    writtenBy: 'sites that print the name they registered',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      return JSON.stringify(
        entryAt(i, `https://www.bücher.example/catalogue/category-${i % 997}/item-${i}.html`),
      );
    },
  },
  {
    name: 'an international host, as an A-label',
    writtenBy: 'sites that print the host of the request',
    count: CORE_COUNT,
    ratioGoal: RATIO_GOAL,
    textOf: (i) => {
      const host = 'www.xn--bcher-kva.example';
      return JSON.stringify(entryAt(i, `https://${host}/catalogue/category-${i % 997}/item-${i}.html`));
    },
  },
];
