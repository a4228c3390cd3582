import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CRAWLERS, crawlerOf, knownCrawler, RecentCrawlers } from '../../src/features/crawls/crawler.ts';

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0';

/** User-Agents from the documentation of the crawlers. */
const DOCUMENTED: Readonly<Record<string, readonly string[]>> = {
  Googlebot: [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Googlebot-Image/1.0',
    'Googlebot-Video/1.0',
  ],
  'Google, others': [
    'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
    'Mozilla/5.0 (compatible; GoogleOther)',
    'GoogleOther-Image/1.0',
    'Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36',
    'AdsBot-Google (+http://www.google.com/adsbot.html)',
    'Mediapartners-Google',
    'APIs-Google (+https://developers.google.com/webmasters/APIs-Google.html)',
    'FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)',
    'Mozilla/5.0 (compatible; Google-Site-Verification/1.0)',
  ],
  Bingbot: [
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
    'Mozilla/5.0 (compatible; adidxbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; MicrosoftPreview/2.0; +https://aka.ms/MicrosoftPreview) Chrome/116.0.1938.76 Safari/537.36',
  ],
  Yandex: [
    'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
    'Mozilla/5.0 (compatible; YandexImages/3.0; +http://yandex.com/bots)',
  ],
  Baidu: ['Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)'],
  DuckDuckGo: [
    'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
    'DuckAssistBot/1.2; (+http://duckduckgo.com/duckassistbot.html)',
  ],
  Applebot: [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
  ],
  Seznam: [
    'Mozilla/5.0 (compatible; SeznamBot/4.0; +https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/)',
  ],
  Naver: ['Mozilla/5.0 (compatible; Yeti/1.1; +http://naver.me/spd)'],
  OpenAI: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
  ],
  Anthropic: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
  ],
  Perplexity: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)',
  ],
  Meta: [
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)',
    'meta-externalfetcher/1.1',
  ],
  Amazon: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/0.1; +https://developer.amazon.com/support/amazonbot) Chrome/119.0.6045.214 Safari/537.36',
  ],
  Ahrefs: [
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'Mozilla/5.0 (compatible; AhrefsSiteAudit/6.1; +http://ahrefs.com/robot/site-audit)',
  ],
  Semrush: [
    'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
    'Mozilla/5.0 (compatible; SiteAuditBot/0.97; +http://www.semrush.com/bot.html)',
  ],
  'Other bots': [
    'Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)',
    'CCBot/2.0 (https://commoncrawl.org/faq/)',
    'Mozilla/5.0 (compatible;PetalBot;+https://webmaster.petalsearch.com/site/petalbot)',
    'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)',
    'Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)',
    'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
    'ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)',
    'Scrapy/2.11.0 (+https://scrapy.org)',
  ],
  Tools: [
    'curl/8.5.0',
    'Wget/1.21.4',
    'python-requests/2.31.0',
    'Go-http-client/1.1',
    'Java/17.0.9',
    'okhttp/4.12.0',
    'node',
    'PostmanRuntime/7.36.0',
    'Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1682',
    `${CHROME.replace('Chrome', 'HeadlessChrome')} Safari/537.36`,
    'Mozilla/5.0',
  ],
  Browsers: [
    `${CHROME} Safari/537.36`,
    `${CHROME} Safari/537.36 Edg/120.0.0.0`,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:121.0) Gecko/20100101 Firefox/121.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)',
    'Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18',
    'Mozilla/5.0 (Linux; Android 9; CUBOT_X19) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
    `${CHROME} YaBrowser/24.1.0 Safari/537.36`,
  ],
  'No User-Agent': ['', '  '],
};

const documented = Object.entries(DOCUMENTED).flatMap(([crawler, all]) =>
  all.map((one) => ({ crawler, one })),
);

test.each(documented)('$crawler: $one', ({ crawler, one }) => {
  expect(crawlerOf(one)).toBe(crawler);
  expect(crawlerOf(one.toUpperCase())).toBe(crawler);
});

test('every kind is documented, and has one name', () => {
  expect(Object.keys(DOCUMENTED).sort()).toEqual([...new Set(CRAWLERS)].sort());
  expect(CRAWLERS.length).toBe(new Set(CRAWLERS).size);
  expect(crawlerOf(undefined)).toBe('No User-Agent');
});

describe('any text', () => {
  const userAgents = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc
      .array(fc.constantFrom(...documented.map(({ one }) => one), ' ', '(', '\t', '/'))
      .map((parts) => parts.join('')),
  );

  test('has a kind of the list, which what is remembered does not change', () => {
    const recent = new RecentCrawlers();
    fc.assert(
      fc.property(userAgents, (userAgent) => {
        const crawler = crawlerOf(userAgent);
        expect(CRAWLERS).toContain(crawler);
        expect(CRAWLERS[recent.placeOf(userAgent)]).toBe(crawler);
        expect(CRAWLERS[recent.placeOf(userAgent)]).toBe(crawler);
      }),
    );
  });

  test('more different ones than are remembered have their kinds', () => {
    const recent = new RecentCrawlers();
    for (let n = 0; n < 2_500; n++) {
      expect(CRAWLERS[recent.placeOf(`Googlebot/${n}`)]).toBe('Googlebot');
      expect(CRAWLERS[recent.placeOf('curl/8.5.0')]).toBe('Tools');
    }
  });
});

test('a kind of another version is one of the other bots', () => {
  expect(knownCrawler('Bingbot')).toBe('Bingbot');
  expect(knownCrawler('Some new crawler')).toBe('Other bots');
});
