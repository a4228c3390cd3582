/** The answer of a server to an upload that it publishes. */
export const PUBLISHED = {
  uploadId: 'upload_1',
  domain: 'maps.example.com',
  urlCount: 2,
  filesGenerated: 1,
  sitemapUrl: 'https://maps.example.com/sitemap.xml',
  served: true,
  generation: 7,
};
export const UPLOAD = 'POST /api/sitemap/generate';
