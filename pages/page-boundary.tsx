/**
 * Keeps an error of one page from the others. Code of an older version may meet a word that only a newer service knows. The bar with the
 * links to other pages stays.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { NotShown } from './parts/not-shown.tsx';

const TITLE = "This page couldn't be shown";

export function PageBoundary({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const [error, forget] = useErrorBoundary((cause) => console.error(`${TITLE}:`, cause));
  useEffect(forget, [path]);
  return error === undefined ? children : <NotShown title={TITLE} />;
}
