/** Does the least work that an Express service can do with an upload: reads and parses the body. Sends its port to the parent. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.post('/', express.json({ limit: '1mb' }), (request, response) => {
  response.json({ urlCount: request.body.urls.length });
});
const server = app.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
