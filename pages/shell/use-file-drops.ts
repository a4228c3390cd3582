/** Files that are dropped on any page go to the page that uploads them. Without this the browser would open them instead. */
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
      // That page has a place of its own for it.
      if (path === UPLOAD) return;
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
