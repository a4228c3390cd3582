/**
 * Returns the value of the parameter at the end of a sentence of the service, as in "… add where=a:b." Undefined if the sentence does not
 * name it.
 */
export function saidParameter(sentence: string, name: string): string | undefined {
  const words = `add ${name}=`;
  const at = sentence.lastIndexOf(words);
  if (at === -1) return undefined;
  const said = sentence.slice(at + words.length);
  return said.endsWith('.') ? said.slice(0, -1) : said;
}
