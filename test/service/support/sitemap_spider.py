"""Scrapy's own sitemap crawler. It fetches no pages: it prints their URLs and its statistics.

    scrapy runspider sitemap_spider.py -a start=http://maps.example.com/robots.txt
"""
import json

from scrapy.spiders import SitemapSpider


class FoundUrls(SitemapSpider):
    name = "found-urls"
    # The telnet console listens on a port.
    custom_settings = {"TELNETCONSOLE_ENABLED": False}

    def __init__(self, start, *args, **kwargs):
        self.sitemap_urls = [start]
        self.locs = []
        super().__init__(*args, **kwargs)

    def sitemap_filter(self, entries):
        # Follow the files that an index names, not the pages.
        if entries.type == "sitemapindex":
            yield from entries
        else:
            self.locs.extend(entry["loc"] for entry in entries)

    def closed(self, reason):
        stats = self.crawler.stats.get_stats()
        print(json.dumps({"reason": reason, "locs": self.locs, "stats": stats}, default=str))
