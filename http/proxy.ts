/** Signs of proxies. */

/** Names of headers that proxies add. They are never believed; they only lower trust. */
export const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-connecting-ip)$/;
