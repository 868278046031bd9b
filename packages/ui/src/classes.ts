import { type ClassValue, clsx } from 'clsx'

export const classes = (...values: ClassValue[]): string => clsx(values)
