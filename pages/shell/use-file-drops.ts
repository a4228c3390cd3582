/** Sends files that are dropped on any page to the page that uploads them. By default, the browser would open them. */
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { droppedIn, keepDropped } from '../api/dropped-file.ts';

const UPLOAD = '/dashboard/upload';

export function useFileDrops(): void {
  const { path, route } = useLocation();
  useEffect(() => {
    const allow = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    const take = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      // The upload page has listeners of its own. While a dialog is open, the person must answer it first.
      if (path === UPLOAD || document.querySelector('dialog')) return;
      keepDropped(droppedIn(event.dataTransfer));
      route(UPLOAD);
    };
    addEventListener('dragover', allow);
    addEventListener('drop', take);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', take);
    };
  }, [path, route]);
}
