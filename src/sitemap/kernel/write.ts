/** Writes the entry in the slots as XML, in the order of the schemas, as ../render-entry.ts does for all entries. */
import { append, ascii } from './ascii.ts';
import { ALTERNATE_MEMBERS, endOf, IMAGE_MEMBERS, startOf } from './objects.ts';
import { copy } from './pattern.ts';
import { copyEscaped } from './text.ts';

// Slots of an entry. Those of an image or an alternate count from its first slot.
const LOC = 0;
const LASTMOD = 1;
const CHANGEFREQ = 2;
const PRIORITY = 3;
const IMAGES = 4;
const ALTERNATES = 5;
const IMAGE_LOC = 0;
const IMAGE_TITLE = 1;
const IMAGE_CAPTION = 2;
const IMAGE_GEO_LOCATION = 3;
const IMAGE_LICENSE = 4;
const ALTERNATE_HREF = 0;
const ALTERNATE_LANGUAGE = 1;

const LOC_OPEN = ascii('<url><loc>');
const LOC_CLOSE = ascii('</loc>');
const LASTMOD_OPEN = ascii('<lastmod>');
const LASTMOD_CLOSE = ascii('</lastmod>');
const CHANGEFREQ_OPEN = ascii('<changefreq>');
const CHANGEFREQ_CLOSE = ascii('</changefreq>');
const PRIORITY_OPEN = ascii('<priority>');
const PRIORITY_CLOSE = ascii('</priority>');
const URL_CLOSE = ascii('</url>\n');
const LANGUAGE_OPEN = ascii('<xhtml:link rel="alternate" hreflang="');
const LANGUAGE_CLOSE = ascii('"');
const HREF_OPEN = ascii(' href="');
const HREF_CLOSE = ascii('"/>');
const IMAGE_OPEN = ascii('<image:image>');
const IMAGE_CLOSE = ascii('</image:image>');
const IMAGE_LOC_OPEN = ascii('<image:loc>');
const IMAGE_LOC_CLOSE = ascii('</image:loc>');
const IMAGE_CAPTION_OPEN = ascii('<image:caption>');
const IMAGE_CAPTION_CLOSE = ascii('</image:caption>');
const IMAGE_GEO_LOCATION_OPEN = ascii('<image:geo_location>');
const IMAGE_GEO_LOCATION_CLOSE = ascii('</image:geo_location>');
const IMAGE_TITLE_OPEN = ascii('<image:title>');
const IMAGE_TITLE_CLOSE = ascii('</image:title>');
const IMAGE_LICENSE_OPEN = ascii('<image:license>');
const IMAGE_LICENSE_CLOSE = ascii('</image:license>');

// The bits of NAMESPACE in ../namespaces.ts.
const IMAGE_NAMESPACE = 1;
const XHTML_NAMESPACE = 8;

/** Of all entries written since the host set it to 0. */
export let namespaces = 0;

/** Writes at `to`. Returns the position after the entry. */
export function writeEntry(to: i32): i32 {
  let o = writeEscaped(LOC_OPEN, LOC, LOC_CLOSE, to);
  o = writeValue(LASTMOD_OPEN, LASTMOD, LASTMOD_CLOSE, o);
  o = writeValue(CHANGEFREQ_OPEN, CHANGEFREQ, CHANGEFREQ_CLOSE, o);
  o = writeValue(PRIORITY_OPEN, PRIORITY, PRIORITY_CLOSE, o);
  if (startOf(ALTERNATES) !== 0) o = writeAlternates(o);
  if (startOf(IMAGES) !== 0) o = writeImages(o);
  return append(URL_CLOSE, o);
}

function writeAlternates(to: i32): i32 {
  let slot = <i32>startOf(ALTERNATES);
  let o = to;
  for (let left = endOf(ALTERNATES); left > 0; left--, slot += ALTERNATE_MEMBERS) {
    o = writeValue(LANGUAGE_OPEN, slot + ALTERNATE_LANGUAGE, LANGUAGE_CLOSE, o);
    o = writeEscaped(HREF_OPEN, slot + ALTERNATE_HREF, HREF_CLOSE, o);
    namespaces |= XHTML_NAMESPACE;
  }
  return o;
}

function writeImages(to: i32): i32 {
  let slot = <i32>startOf(IMAGES);
  let o = to;
  for (let left = endOf(IMAGES); left > 0; left--, slot += IMAGE_MEMBERS) {
    o = append(IMAGE_OPEN, o);
    o = writeEscaped(IMAGE_LOC_OPEN, slot + IMAGE_LOC, IMAGE_LOC_CLOSE, o);
    o = writeEscaped(IMAGE_CAPTION_OPEN, slot + IMAGE_CAPTION, IMAGE_CAPTION_CLOSE, o);
    o = writeEscaped(IMAGE_GEO_LOCATION_OPEN, slot + IMAGE_GEO_LOCATION, IMAGE_GEO_LOCATION_CLOSE, o);
    o = writeEscaped(IMAGE_TITLE_OPEN, slot + IMAGE_TITLE, IMAGE_TITLE_CLOSE, o);
    o = writeEscaped(IMAGE_LICENSE_OPEN, slot + IMAGE_LICENSE, IMAGE_LICENSE_CLOSE, o);
    o = append(IMAGE_CLOSE, o);
    namespaces |= IMAGE_NAMESPACE;
  }
  return o;
}

/** Writes nothing for an absent member. */
function writeValue(open: i32, slot: i32, close: i32, to: i32): i32 {
  const start = startOf(slot);
  if (start === 0) return to;
  return append(close, copy(start, endOf(slot) - start, append(open, to)));
}

/** For URLs and texts, which may need escaping. */
function writeEscaped(open: i32, slot: i32, close: i32, to: i32): i32 {
  const start = startOf(slot);
  if (start === 0) return to;
  return append(close, copyEscaped(start, endOf(slot), append(open, to)));
}
