/** The document of the pages with its stylesheets inside. */
import { hash } from 'node:crypto';
import type { Assets } from './assets.ts';

export interface StyledPage {
  readonly html: string;
  /** The SHA-256 of each `<style>`, in base64, for the Content-Security-Policy. */
  readonly styleHashes: readonly string[];
}

/**
 * Writes the stylesheets into the document. On a slow network, a request for a stylesheet takes longer than the transfer of its bytes, and
 * the browser paints nothing before it has the stylesheets. The links stay, but disabled: a script loads each stylesheet that has no link,
 * after the stylesheets of its own page, whose rules then lose against the later rules. A stylesheet with `</` stays a link.
 */
export function styledPage({ page, files }: Assets): StyledPage {
  const styleHashes: string[] = [];
  const html = page.toString().replace(/<link rel="stylesheet"([^<>]*)>/g, (link, attributes: string) => {
    const name = /\/assets\/([^"/]+)"/.exec(attributes)?.[1] ?? '';
    const style = files.get(name)?.body.toString();
    if (style === undefined || style.includes('</')) return link;
    styleHashes.push(hash('sha256', style, 'base64'));
    return `<style>${style}</style><link rel="stylesheet" disabled${attributes}>`;
  });
  return { html, styleHashes };
}
