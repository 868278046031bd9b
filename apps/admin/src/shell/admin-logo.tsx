/** The mark of the other application is a tick. Operators look. */
export const AdminLogo = () => (
  <svg viewBox="0 0 64 64" className="size-7 shrink-0" aria-hidden="true">
    <rect width="64" height="64" rx="14" className="fill-accent" />
    <circle cx="28" cy="28" r="12" fill="none" className="stroke-on-accent" strokeWidth="6" />
    <path
      d="M37 37 48 48"
      fill="none"
      className="stroke-on-accent"
      strokeWidth="6"
      strokeLinecap="round"
      opacity="0.7"
    />
  </svg>
)
