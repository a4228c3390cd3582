/**
 * Starts nginx, configured for files that are compressed already: one worker, sendfile, gzip_static, no log.
 *
 * `open_file_cache` is off, as by default. Our goals refer to this configuration. With the cache, nginx is 1.3 times as fast at 1 kB
 * (92,000 → 118,000 requests/s).
 */
import { createPrivateKey } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../tools/free-port.ts';
import { type ServerProcess, startServer } from '../server-process.ts';
import { onServerCore } from './cores.ts';

export interface NginxCertificate {
  /** PEM. */
  readonly chain: string;
  /** PKCS #8 in DER. */
  readonly privateKey: Buffer;
}

/**
 * Serves each `<file>.gz` of `www` as `<file>`, or the file itself to clients without gzip, with the headers that Waypost sends. With a
 * certificate, nginx serves over HTTPS.
 */
export async function startNginx(
  nginx: string,
  www: string,
  folder: string,
  certificate?: NginxCertificate,
): Promise<ServerProcess> {
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await mkdir(folder, { recursive: true });
  const tls = certificate === undefined ? [] : await writeCertificate(folder, certificate);
  await writeFile(config, configuration(www, folder, port, tls));
  // Without -e, nginx first opens the system's log.
  return startServer(onServerCore([nginx, '-e', 'stderr', '-p', folder, '-c', config]), port);
}

/**
 * Writes the certificate and its key into `folder`. Returns the lines of the server's configuration. TLS 1.2 and session tickets are on by
 * default in nginx.
 */
async function writeCertificate(folder: string, { chain, privateKey }: NginxCertificate): Promise<string[]> {
  const key = createPrivateKey({ key: privateKey, format: 'der', type: 'pkcs8' });
  await writeFile(`${folder}/key.pem`, key.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  await writeFile(`${folder}/chain.pem`, chain);
  return [
    `ssl_certificate ${folder}/chain.pem;`,
    `ssl_certificate_key ${folder}/key.pem;`,
    'ssl_protocols TLSv1.2 TLSv1.3;',
  ];
}

function configuration(www: string, folder: string, port: number, tls: readonly string[]): string {
  const isSecure = tls.length > 0;
  // A worker started by root would run as a user that cannot enter our folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${user}
    daemon off;
    ${isSecure ? '# One process, whose processor time the bench reads.\n    master_process off;' : ''}
    worker_processes 1;
    pid ${folder}/nginx.pid;
    events { worker_connections 4096; }
    http {
      ${temporaries.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n      ')}
      access_log off;
      sendfile on;
      tcp_nopush on;
      # As Waypost, which has no such limit; the default is 1,000.
      keepalive_requests 1000000000;
      default_type "application/xml; charset=utf-8";
      gzip_static on;
      gzip_vary on;
      add_header Cache-Control "public, max-age=60, stale-if-error=600";
      add_header X-Robots-Tag noindex;
      add_header X-Content-Type-Options nosniff;
      server {
        listen 127.0.0.1:${port}${isSecure ? ' ssl' : ''};
        ${tls.join('\n        ')}
        root ${www};
      }
    }
  `;
}
