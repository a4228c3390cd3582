/** The kind of an object by its beginning, its name and its Content-Type, and the sitemaps that an index may list. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { childUrls } from '../../../src/features/uploads/loads/list-sources.ts';
import { kindOf } from '../../../src/features/uploads/loads/source-kind.ts';
import { EXPORTS, needs } from '../../support/needs.ts';

const URL_OF = (name: string) => `https://files.example.com/a/${name}?signature=.xml`;

describe('the kind of an object', () => {
  test.each<[head: string, name: string, type: string | undefined, kind: string]>([
    [
      '<?xml version="1.0"?>\n<!-- CMS --><?xml-stylesheet href="a.xsl"?>\n<sitemapindex>',
      'x.csv',
      'text/html',
      'index',
    ],
    ['\uFEFF<sm:sitemapindex xmlns:sm="…">', 'x', undefined, 'index'],
    ['<urlset>', 'sitemap', 'text/plain', 'xml'],
    ['<rss version="2.0">', 'feed', undefined, 'xml'],
    ['\n<!DOCTYPE html>\n<html>', 'sitemap.xml', 'application/xml', 'html'],
    ['<HTML><head>', 'urls.csv', 'text/csv', 'html'],
    ['<!-- 404 --><html lang="de">', 'x', undefined, 'html'],
    ['loc,lastmod', 'urls.csv', 'application/octet-stream', 'csv'],
    ['loc\tlastmod', 'urls.TSV.gz', 'text/plain', 'csv'],
    ['loc,lastmod', 'part-0.csv.zst', undefined, 'csv'],
    ['loc,lastmod', 'export', 'text/csv; charset=utf-8', 'csv'],
    ['{"loc":"https://a"}', 'part-0.jsonl', 'application/json', 'ndjson'],
    ['[', 'part-0.jl', 'application/octet-stream', 'ndjson'],
    ['{"loc":"https://a"}', 'part-0', 'application/x-ndjson', 'ndjson'],
    ['{"loc":"https://a"}', 'part-0', undefined, 'ndjson'],
    ['{"loc":"https://a"}\r\n{', 'part-0.json', 'application/json', 'ndjson'],
    ['{\n"urls":[{"loc":"https://a"}', 'part-0.json', undefined, 'json'],
    ['{ "urls" : [', 'part-0', undefined, 'json'],
    ['{ "urls" : [', 'part-0.json', undefined, 'json'],
    ['', 'part-0.json', undefined, 'ndjson'],
    [
      `{"loc":"https://a","images":[${'"https://a/image.png",'.repeat(500)}`,
      'part-0.json',
      undefined,
      'ndjson',
    ],
    ['{"domain":"a.example","urls":[{"loc":"https://a"}]}\n', 'all.json', undefined, 'json'],
    ['[{"loc":"https://a"}]', 'part-0', undefined, 'json'],
    ['https://a\nhttps://b', 'list', undefined, 'text'],
    ['https://a\nhttps://b', 'list', 'text/plain', 'text'],
    ['', 'list', undefined, 'text'],
  ])('%j at %s with %s is %s', (head, name, type, kind) => {
    expect(kindOf(Buffer.from(head), URL_OF(name), type)).toBe(kind);
  });

  test('exports of tools are no indexes and no pages', needs('the exports of tools'), () => {
    const folder = new URL('modelled/', EXPORTS);
    const kinds = readdirSync(folder).map((name) =>
      kindOf(readFileSync(new URL(name, folder)), URL_OF(name), undefined),
    );
    expect(kinds.length).toBeGreaterThan(5);
    expect(kinds.filter((kind) => kind === 'index' || kind === 'html')).toEqual([]);
  });
});

describe('the sitemaps that an index may list', () => {
  const INDEX = 'https://www.shop.co.uk/a/index.xml';
  const children = (locs: string[], allowHosts: string[] = [], known: string[] = []) =>
    childUrls(INDEX, locs, allowHosts, new Set(known));

  test('are those of its registrable domain, once each and in order', () => {
    const locs = ['https://shop.co.uk/b', '/c#part', 'd', 'https://CDN.shop.co.uk/e', '/c', INDEX];
    expect(children(locs, [], [INDEX])).toEqual([
      'https://shop.co.uk/b',
      'https://www.shop.co.uk/c',
      'https://www.shop.co.uk/a/d',
      'https://cdn.shop.co.uk/e',
    ]);
  });

  test.each([
    [
      'https://other.co.uk/a',
      'https://other.co.uk/a, which is of another domain; name other.co.uk in allowHosts',
    ],
    ['https://co.uk/a', 'of another domain'],
    ['https://other.co.uk/a?key=secret', 'https://other.co.uk/a?…, which'],
    ['https://10.0.0.1/', 'of another domain'],
    ['http://[', 'which is no address'],
  ])('%s is refused', (loc, message) => {
    expect(() => children([loc])).toThrow(message);
  });

  test('have addresses that a page can have, so that no message is without end', () => {
    const long = `https://shop.co.uk/${'a'.repeat(3000)}`;
    for (const loc of [long, `http://[${long}`]) {
      expect(() => children([loc])).toThrow('lists an address of more than 2048 characters');
    }
  });

  test('may be on hosts that the client names', () => {
    expect(children(['https://other.co.uk/a'], ['other.co.uk'])).toEqual(['https://other.co.uk/a']);
    expect(() => children(['https://x.other.co.uk/a'], ['other.co.uk'])).toThrow('x.other.co.uk');
  });
});
