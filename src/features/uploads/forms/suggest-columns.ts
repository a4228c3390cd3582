/** Guesses which columns a customer wants, for messages and previews. An upload is never read by a guess. */

/** The usual names, without blanks, underscores and hyphens. The first that a header has once is taken. */
const USUAL_NAMES: Readonly<Record<string, readonly string[]>> = {
  loc: words(
    'loc url address pageurl page link permalink canonical canonicalurl toppages landingpage uri href producturl',
  ),
  lastmod: words(
    'lastmod lastmodified updatedat modifiedat updated modified datemodified dateupdated lastupdated updatedon changedat geändert',
  ),
  image_loc: words('imageloc imageurl imagesrc image photo picture'),
};

/** Returns the name of a column for each member that has a usual one. Without one for `loc`, there are none. */
function suggestColumns(names: readonly string[]): ReadonlyMap<string, string> {
  const plain = names.map(plainName);
  const found = new Map<string, string>();
  for (const [member, usual] of Object.entries(USUAL_NAMES)) {
    const name = usual.find((each) => plain.filter((given) => given === each).length === 1);
    if (name !== undefined) found.set(member, names[plain.indexOf(name)]!.trim());
  }
  return found.has('loc') ? found : new Map();
}

/** The parameter for `suggestColumns`: `columns=loc:url`. */
export function columnsParameter(names: readonly string[]): string | undefined {
  const found = suggestColumns(names);
  if (found.size === 0) return undefined;
  return `columns=${[...found].map(([member, name]) => quotedItem(`${member}:${name}`)).join(',')}`;
}

/** Whether the text is a usual name of a column with URLs, or anything like it. */
export function isUsualName(text: string): boolean {
  const plain = plainName(text);
  return plain === 'path' || Object.values(USUAL_NAMES).some((names) => names.includes(plain));
}

const plainName = (name: string) => name.toLowerCase().replaceAll(/[\s_-]+/g, '');
const quotedItem = (item: string) => (/[",]/.test(item) ? `"${item.replaceAll('"', '""')}"` : item);

function words(text: string): readonly string[] {
  return text.split(' ');
}
