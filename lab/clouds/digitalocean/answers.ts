import { z } from "zod";
import { type Answer, ApiError, type ApiRequest, ok } from "../api/http";

const usual: Readonly<Record<number, readonly [id: string, message: string]>> = {
  401: ["Unauthorized", "Unable to authenticate you"],
  403: ["Forbidden", "You are not authorized to perform this operation"],
  404: ["not_found", "The resource you were accessing could not be found."],
  409: ["conflict", "Conflict"],
  422: ["unprocessable_entity", "Unprocessable Entity"],
  503: ["server_error", "Service Unavailable"],
};

/** Returns the error that usually has a status. Its code is the API's `id`. */
export function usualError(status: number, message?: string): ApiError {
  const [id, usualMessage] = usual[status] ?? ["server_error", "Server Error"];
  return new ApiError(status, id, message ?? usualMessage);
}

export const notFound = (): ApiError => usualError(404);
export const unprocessable = (message: string): ApiError => usualError(422, message);

/** Returns the error for a body that does not fit its schema. */
export const invalidBody = (error: z.ZodError): ApiError => unprocessable(z.prettifyError(error).replaceAll("\n", " "));

/** Answers with a list, which fits on its first page. */
export const listing = (key: string, items: readonly unknown[]): Answer =>
  ok({ [key]: items, links: {}, meta: { total: items.length } });

/** Returns the item that a path names, or throws the API's 404. */
export function found<T>(all: ReadonlyMap<number, T>, { params }: Pick<ApiRequest, "params">): T {
  const one = all.get(Number(params.id));
  if (!one) throw notFound();
  return one;
}
