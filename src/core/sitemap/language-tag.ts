/** The `hreflang` codes that Google documents: a language, an optional script and an optional region. */
import iso6391 from 'iso-639-1';
import { all as allCountries } from 'iso-3166-1';
import { iso15924 } from 'iso-15924';

const LANGUAGES = new Set<string>(iso6391.getAllCodes());
const SCRIPTS = new Set(iso15924.map(({ code }) => code.toLowerCase()));
const REGIONS = new Set(allCountries().map(({ alpha2 }) => alpha2.toLowerCase()));

const LANGUAGE_TAG = /^([a-z]{2})(?:-([a-z]{4}))?(?:-([a-z]{2}))?$/i;

/** Whether the text is `x-default`, or `xx`, `xx-YY`, `xx-Ssss` or `xx-Ssss-YY` with codes that ISO has assigned. */
export function isLanguageTag(text: string): boolean {
  // Match before lower-casing: the Kelvin sign is not a letter of a code, but its lower case is `k`.
  const [, language, script, region] = LANGUAGE_TAG.exec(text) ?? [];
  if (language === undefined) return text.toLowerCase() === 'x-default';
  return isIn(LANGUAGES, language) && isIn(SCRIPTS, script) && isIn(REGIONS, region);
}

function isIn(codes: ReadonlySet<string>, subtag: string | undefined): boolean {
  return subtag === undefined || codes.has(subtag.toLowerCase());
}
