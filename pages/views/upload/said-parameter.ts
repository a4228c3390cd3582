/** Returns the value of a parameter that a sentence of the service ends with, as in "… add where=a:b." */
export function saidParameter(sentence: string, name: string): string | undefined {
  const words = `add ${name}=`;
  const at = sentence.lastIndexOf(words);
  if (at === -1) return undefined;
  const said = sentence.slice(at + words.length);
  return said.endsWith('.') ? said.slice(0, -1) : said;
}
